# Train the rules of Yuan and Jiang (2025) as their own runs did, and write the counts.
#
#     Rscript yuan.R <data> <out> <splits> <forests>
#
# <data> holds abalone.data and letter-recognition.data. The script writes to <out>:
#
#   yuan-abalone-rules.csv    outcome and predictions of each row of the abalone population
#   yuan-abalone-splits.csv   joint cells of the abalone rules: the paper's split, then others
#   yuan-letter-splits.csv    the same for the letters
#   yuan-abalone-forests.csv  true and predicted positives of other forests on the paper's split
#   yuan-qmvnorm.csv          the joint quantile of two measures, as mvtnorm's qmvnorm gives it
#   yuan-table-2.csv          the joint quantile of Table II, with other seeds of qmvnorm
#
# The first line of each file of splits has the seed 499: it is the paper's own split. <splits> says
# how many other seeds follow. <forests> says how many other forests are grown, and how many quantiles
# of Table II are computed.

suppressMessages({library(class); library(randomForest); library(e1071); library(mvtnorm)})

arguments <- commandArgs(trailingOnly = TRUE)
data <- arguments[1]
out <- arguments[2]
splits <- as.integer(arguments[3])
forests <- as.integer(arguments[4])
PAPER <- 499

abalone <- read.csv(file.path(data, "abalone.data"), header = FALSE)
letters <- read.csv(file.path(data, "letter-recognition.data"), header = FALSE)

# Sex enters as one column of zeros and ones, before the seven measures. Forests draw columns by
# their place, so the order matters.
problems <- list(
  abalone = list(x = data.frame(M = as.integer(abalone$V1 == "M"), abalone[, 2:8]),
                 z = as.integer(abalone$V9 == 6)),
  letter = list(x = letters[, 2:17], z = as.integer(letters$V1 %in% c("A", "B")))
)

# Every row is a training row with probability `share`.
training_rows <- function(seed, rows, share) {
  set.seed(seed)
  sample(2, rows, replace = TRUE, prob = c(1 - share, share)) == 2
}

# Return outcome and predictions of all rows that the rules are not trained on.
predictions <- function(problem, seed, share = .2) {
  x <- problem$x
  z <- problem$z
  label <- factor(z)
  train <- training_rows(seed, nrow(x), share)
  # 1. The nearest neighbour goes on with the random numbers of the split.
  nearest <- knn(x[train, ], x[!train, ], label[train], k = 1)
  # 2. Logistic regression needs none.
  fit <- suppressWarnings(glm(z ~ ., binomial, data.frame(x, z)[train, ]))
  logistic <- predict(fit, x[!train, ], type = "response") > .5
  # 3. The seed is set again before the forest.
  set.seed(seed)
  forest <- predict(randomForest(x[train, ], label[train]), x[!train, ])
  found <- data.frame(row = which(!train), z = z[!train], nn = as.integer(nearest == "1"),
                      logistic = as.integer(logistic), forest = as.integer(forest == "1"))
  # 4. The letters have a support vector machine as well.
  if (ncol(x) == 16) {
    found$svm <- as.integer(predict(svm(x[train, ], label[train]), x[!train, ]) == "1")
  }
  found
}

# Return the joint cells; the index of a cell, in binary, reads Z A_1 ... A_m.
cells <- function(found) {
  index <- 0
  for (column in found[-1]) index <- 2 * index + column
  tabulate(index + 1, 2^(ncol(found) - 1))
}

write_splits <- function(name, shares) {
  problem <- problems[[name]]
  file <- file.path(out, paste0("yuan-", name, "-splits.csv"))
  bits <- if (name == "letter") 5 else 4
  names <- sapply(0:(2^bits - 1), function(i) paste(rev(as.integer(intToBits(i))[1:bits]), collapse = ""))
  cat("share", "seed", names, sep = ",", file = file)
  cat("\n", file = file, append = TRUE)
  for (share in shares) {
    for (seed in c(if (share == .2) PAPER, seq_len(splits))) {
      cat(share, seed, cells(predictions(problem, seed, share)), sep = ",", file = file, append = TRUE)
      cat("\n", file = file, append = TRUE)
    }
  }
}

write_table <- function(table, name) {
  write.csv(table, file.path(out, name), row.names = FALSE, quote = FALSE)
}

write_table(predictions(problems$abalone, PAPER), "yuan-abalone-rules.csv")
write_splits("abalone", c(.2, .4, .6))
write_splits("letter", .2)

# Two forests on one split differ.
x <- problems$abalone$x
z <- problems$abalone$z
train <- training_rows(PAPER, nrow(x), .2)
grown <- data.frame(seed = integer(), tp = integer(), predicted = integer())
for (seed in seq_len(forests)) {
  set.seed(seed)
  answer <- predict(randomForest(x[train, ], factor(z[train])), x[!train, ]) == "1"
  grown[seed, ] <- c(seed, sum(answer & z[!train] == 1), sum(answer))
}
write_table(grown, "yuan-abalone-forests.csv")

# qmvnorm stops its search early, which moves the fourth digit of a length.
rho <- seq(0, .999, by = .001)
q <- sapply(rho, function(r) qmvnorm(.95, tail = "both.tails", corr = matrix(c(1, r, r, 1), 2))$quantile)
write_table(data.frame(rho = rho, q = formatC(q, digits = 8, format = "f")), "yuan-qmvnorm.csv")

# With six measures qmvnorm has a random error. Its matrix here is that of the sample of Table I.
rules <- predictions(problems$abalone, PAPER)
set.seed(599)
test <- rules[sample(1:nrow(rules), 10000, TRUE), ]
influences <- lapply(c("nn", "logistic", "forest"), function(rule) {
  x <- mean(test$z * test[[rule]])
  s <- mean(test[[rule]])
  t <- mean(test$z)
  slopes <- cbind(c(1, -.8 * x / (.8 * s + .2 * t), -.2 * x / (.8 * s + .2 * t)) / (.8 * s + .2 * t),
                  c(2, -1, -1))
  list(H = cbind(test$z * test[[rule]], test[[rule]], test$z) %*% slopes, squared = colSums(slopes^2))
})
V <- cov(do.call(cbind, lapply(influences, `[[`, "H")))
diag(V) <- diag(V) + qnorm(.975)^2 / (2 * nrow(test)) * unlist(lapply(influences, `[[`, "squared"))
q <- sapply(seq_len(forests), function(seed) {
  set.seed(seed)
  qmvnorm(.95, tail = "both.tails", corr = cov2cor(V))$quantile
})
write_table(data.frame(seed = seq_len(forests), q = formatC(q, digits = 6, format = "f")), "yuan-table-2.csv")

versions <- sapply(c("class", "randomForest", "e1071", "mvtnorm"),
                   function(p) paste(p, as.character(packageVersion(p))))
cat(paste(c(paste0("R ", R.version$major, ".", R.version$minor), versions), collapse = "; "))
