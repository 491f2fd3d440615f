# Search for the rules of Yuan and Jiang (2025): codings of the abalones, forests, a sample of letters.
#
#     Rscript yuan_searches.R <data> <out> <forests>
#
# <data> holds abalone.data and letter-recognition.data. The script writes a line for each search to
# the file <out>: what was searched, how many ways were tried, how many of them give the printed
# numbers, and how many would do so by chance. <forests> is the largest number of forests that a search
# grows.
#
# Of two counts, how many hits chance gives is the density of the tried results around the printed
# counts: the number of results in a box around them, divided by the number of pairs in the box.

suppressMessages({library(class); library(randomForest); library(e1071)})

arguments <- commandArgs(trailingOnly = TRUE)
abalone <- read.csv(file.path(arguments[1], "abalone.data"), header = FALSE)
out <- arguments[2]
forests <- as.integer(arguments[3])
PAPER <- 499

measures <- abalone[, 2:8]
z <- as.integer(abalone$V9 == 6)
label <- factor(z)
split <- function() {
  set.seed(PAPER)
  sample(2, nrow(abalone), replace = TRUE, prob = c(.8, .2)) == 2
}
train <- split()
truth <- z[!train]

# True and predicted positives.
counts <- function(answer, rows = seq_along(truth)) c(sum((answer & truth)[rows]), sum(answer[rows]))
# How many results equal these counts, and how many would by chance.
judged <- function(found, counts, reach) {
  off <- abs(sweep(found, 2, counts))
  inside <- off[, 1] <= reach[1] & off[, 2] <= reach[2]
  c(sum(rowSums(off) == 0), sum(inside) / prod(2 * reach + 1))
}
cat("search,tried,hits,by_chance,note\n", file = out)
report <- function(search, tried, judgement, note) {
  line <- c(search, tried, judgement[1], signif(judgement[2], 3), note)
  cat(line, sep = ",", file = out, append = TRUE)
  cat("\n", file = out, append = TRUE)
}

# 1. Every set of measures, with eight ways to code sex, in logistic regression and nearest neighbour.
sex <- function(...) as.integer(abalone$V1 %in% c(...))
ordered <- function(...) match(abalone$V1, c(...))
codes <- list(none = NULL, M = sex("M"), F = sex("F"), I = sex("I"), both = cbind(sex("M"), sex("F")),
              alphabet = ordered("F", "I", "M"), paper = ordered("M", "F", "I"), age = ordered("I", "F", "M"))
logistic <- nearest <- NULL
for (code in codes) {
  for (subset in 1:127) {
    x <- cbind(code, as.matrix(measures[, bitwAnd(subset, 2^(0:6)) > 0]))
    fit <- suppressWarnings(glm.fit(cbind(1, x)[train, ], z[train], family = binomial()))
    logistic <- rbind(logistic, counts(drop(cbind(1, x)[!train, ] %*% fit$coefficients) > 0))
    split()
    answer <- knn(x[train, , drop = FALSE], x[!train, , drop = FALSE], label[train], k = 1)
    nearest <- rbind(nearest, counts(answer == "1"))
  }
}
tried <- nrow(logistic)
of_logistic <- judged(logistic, c(4, 25), c(2, 5))
of_nearest <- judged(nearest, c(62, 254), c(4, 10))
both <- sum(rowSums(abs(cbind(logistic, nearest) - rep(c(4, 25, 62, 254), each = tried))) == 0)
report("codings-logistic", tried, of_logistic, "(TP A) = (4 25)")
report("codings-nearest", tried, of_nearest, "(TP A) = (62 254)")
chance <- of_logistic[2] * of_nearest[2] / tried
report("codings-both", tried, c(both, chance), "M and the seven measures if there is one hit")

# 2. Forests that might be that of Table I, whose sample of test cases is known.
test <- {set.seed(599); sample(1:3333, 10000, replace = TRUE)}
M <- sex("M")
letters_of_sex <- factor(abalone$V1)
codings <- list(
  first = data.frame(M, measures), last = data.frame(measures, M),
  factor = data.frame(letters_of_sex, measures), factor_last = data.frame(measures, letters_of_sex),
  two = data.frame(M, F = sex("F"), measures), three = data.frame(M, F = sex("F"), I = sex("I"), measures),
  without = measures, factor_M = data.frame(M = factor(M), measures),
  factor_M_last = data.frame(measures, M = factor(M)), code = data.frame(s = as.integer(letters_of_sex), measures)
)
paper <- codings$first
neighbour <- function(rows = !train) knn(paper[train, ], paper[rows, ], label[train], k = 1)
draw <- function() {set.seed(599); sample(1:3333, 10000, replace = TRUE)}
seeds <- c(499, 599, 699, 399, 299, 199, 99, 100, 1, 123, 500, 498, 600, 10, 0, 1234, 2, 999, 799, 899)
starts <- lapply(seeds, function(seed) {force(seed); function() set.seed(seed)})
starts <- c(starts, list(
  split, function() {split(); neighbour()}, function() {set.seed(PAPER); neighbour()}, draw,
  function() {draw(); neighbour(which(!train)[test])},
  function() {split(); set.seed(PAPER); randomForest(paper[train, ], label[train])}
))
trees <- lapply(c(10, 50, 100, 150, 200, 250, 300, 400, 501, 800, 1000, 2000), function(n) list(ntree = n))
settings <- c(list(list(), list(importance = TRUE), list(ntree = 100), list(ntree = 1000)),
              trees[!sapply(trees, `[[`, "ntree") %in% c(100, 1000)],
              lapply(c(1, 3, 4, 8), function(m) list(mtry = m)),
              list(list(nodesize = 5), list(proximity = TRUE), list(reversed = TRUE)))
ways <- expand.grid(start = seq_along(starts), setting = seq_along(settings), coding = names(codings),
                    stringsAsFactors = FALSE)
ways <- ways[ways$coding %in% c("first", "last") | ways$setting <= 4, ]
grow <- function(x, setting = list()) {
  y <- if (is.null(setting$reversed)) label else factor(z, levels = c(1, 0))
  setting$reversed <- NULL
  predict(do.call(randomForest, c(list(x = x[train, ], y = y[train]), setting)), x[!train, ]) == "1"
}
tried <- min(forests, nrow(ways))
found <- t(sapply(seq_len(tried), function(i) {
  starts[[ways$start[i]]]()
  counts(grow(codings[[ways$coding[i]]], settings[[ways$setting[i]]]), test)
}))
target <- c(112, 359)
note <- sprintf("forest of Table I with (TP A) = (112 359); %d ways were listed", nrow(ways))
report("forests", tried, judged(found, target, c(4, 10)), note)

# 3. The second to the twelfth forest after each start, with the nearest neighbour between them or not.
rows <- which(!train)
later <- list(
  function() set.seed(PAPER), split, function() {split(); neighbour()}, function() {split(); neighbour(); neighbour()},
  function() set.seed(599), draw, function() {draw(); neighbour(rows[test])},
  function() {split(); neighbour(); neighbour(rows[test])}, function() {split(); neighbour(train)},
  function() {split(); sample(3333, 3333, replace = TRUE)},
  function() {split(); neighbour(); sample(3333, 3333, replace = TRUE)},
  function() {set.seed(PAPER); neighbour()}, function() {split(); runif(1)}
)
chains <- expand.grid(start = seq_along(later), between = c(FALSE, TRUE), coding = c("first", "last"),
                      stringsAsFactors = FALSE)
found <- NULL
for (i in seq_len(min(nrow(chains), forests %/% 12))) {
  later[[chains$start[i]]]()
  for (turn in 1:12) {
    found <- rbind(found, counts(grow(codings[[chains$coding[i]]]), test))
    if (chains$between[i]) neighbour()
  }
}
note <- sprintf("the same for twelve forests after one another; %d were listed", 12 * nrow(chains))
report("later-forests", nrow(found), judged(found, target, c(4, 10)), note)

# 4. One sample of the letters, drawn once, from which section III-C may have resampled. Each rule's
# mean individual length is printed; a sample of another size has other shares, and so other lengths.
letters <- read.csv(file.path(arguments[1], "letter-recognition.data"), header = FALSE)
n <- 3000
x <- letters[, 2:17]
z <- as.integer(letters$V1 %in% c("A", "B"))
label <- factor(z)
set.seed(PAPER)
train <- sample(2, nrow(letters), replace = TRUE, prob = c(.8, .2)) == 2
nearest <- knn(x[train, ], x[!train, ], label[train], k = 1)
fit <- suppressWarnings(glm(z ~ ., binomial, data.frame(x, z)[train, ]))
logistic <- predict(fit, x[!train, ], type = "response") > .5
set.seed(PAPER)
forest <- predict(randomForest(x[train, ], label[train]), x[!train, ])
machine <- predict(svm(x[train, ], label[train]), x[!train, ])
answers <- cbind(nearest == "1", logistic, forest == "1", machine == "1")
positive <- z[!train] == 1

# The mean length of a rule's three intervals, each divided by the true value, with blurred variances.
shares <- function(tp, a, positives, size) list(x = tp / size, s = a / size, t = positives / size)
of_shares <- function(p) with(p, cbind(x / (.8 * s + .2 * t), 2 * x - s - t + 1, x / (s * t)))
mean_length <- function(p, truth) with(p, {
  value <- of_shares(p)
  scale <- .8 * s + .2 * t
  slopes <- list(cbind(1, -.8 * value[, 1], -.2 * value[, 1]) / scale, cbind(2 + 0 * x, -1, -1),
                 cbind(1, -x / s, -x / t) / (s * t))
  total <- 0
  for (k in 1:3) {
    g <- slopes[[k]]
    both <- rowSums(g)
    mean <- both * x + g[, 2] * (s - x) + g[, 3] * (t - x)
    variance <- both^2 * x + g[, 2]^2 * (s - x) + g[, 3]^2 * (t - x) - mean^2
    total <- total + 2 * 1.96 * sqrt((variance + 1.96^2 * rowSums(g^2) / (2 * n)) / n) / truth[k]
  }
  total / 3
})
size <- length(positive)
population <- shares(colSums(answers & positive), colSums(answers), sum(positive), size)
truth <- of_shares(population)
printed <- c(.1093, .1781, .1068, .1148)
# What resampling adds to the length at a sample's own shares, and how far a mean of 3000 may be off.
set.seed(1)
cell <- drop(cbind(positive, answers) %*% 2^(0:4)) + 1
drawn <- rmultinom(200000, n, tabulate(cell, 32))
bits <- sapply(0:4, function(b) bitwAnd(0:31, 2^b) > 0)
added <- error <- numeric(4)
for (rule in 1:4) {
  count <- function(rows) as.vector(rows %*% drawn)
  p <- shares(count(bits[, 1] & bits[, rule + 1]), count(bits[, rule + 1]), count(bits[, 1]), n)
  sampled <- mean_length(p, truth[rule, ])
  at <- lapply(population, function(share) rep(share, length.out = 4)[rule])
  added[rule] <- mean(sampled) - mean_length(at, truth[rule, ])
  error[rule] <- sqrt(var(sampled) / 3000 + 1e-8 / 12)
}
# Of one order of rows: at each size, how far the four lengths are from the printed ones.
sizes <- c(500, 844, 1000, 2000, 2333, seq(2500, 16000, 500), 3212, 3333, 3936, 4177, 8032, 11244, 12851)
chi_square <- function(order) {
  at <- sizes[sizes <= length(order)]
  so_far <- function(flag) cumsum(flag[order])[at]
  total <- 0
  for (rule in 1:4) {
    p <- shares(so_far(answers[, rule] & positive), so_far(answers[, rule]), so_far(positive), at)
    total <- total + ((mean_length(p, truth[rule, ]) + added[rule] - printed[rule]) / error[rule])^2
  }
  total
}
fitting <- function(kind) {
  found <- NULL
  for (seed in 0:1499) for (sampling in c("Rejection", "Rounding")) for (again in c(TRUE, FALSE)) {
    suppressWarnings(set.seed(seed, kind = kind, sample.kind = sampling))
    found <- c(found, chi_square(sample(size, if (again) max(sizes) else size, replace = again)))
  }
  found
}
limit <- qchisq(.99, 4)
found <- fitting("Mersenne-Twister")
control <- fitting("Wichmann-Hill")
note <- "four lengths fit (chi-square); by chance: the same with the numbers of another generator"
report("3c-fixed-sample", length(found), c(sum(found < limit), sum(control < limit)), note)

versions <- sapply(c("class", "randomForest", "e1071"), function(p) paste(p, as.character(packageVersion(p))))
cat(paste(c(paste0("R ", R.version$major, ".", R.version$minor), versions), collapse = "; "))
