# Halves of the orange juice data that somebody may have used, by R itself (jiang, section 1).
# For each way to take a half, a logistic regression is trained on one half and counted on the
# other half. The paper's table is TP 286, FP 47, FN 43, TN 159. Run in the folder of the data:
#   Rscript orange_juice_halves.R 0 3000 > orange-juice-halves.csv      (half a minute)
# The arguments are the first and the last seed.

ends <- as.integer(commandArgs(trailingOnly = TRUE))
seeds <- ends[1]:ends[2]
juice <- read.csv("oj.csv")
z <- juice$Purchase == "CH"
n <- nrow(juice)
two <- cbind(1, juice$LoyalCH, juice$PriceDiff)
# Every column that is not a function of the others.
all <- cbind(1, as.matrix(juice[c("WeekofPurchase", "PriceCH", "PriceMM", "DiscCH", "DiscMM",
                                  "SpecialCH", "SpecialMM", "LoyalCH")]),
             model.matrix(~ factor(StoreID), juice)[, -1])
models <- list(two = two, all = all)

has_table <- function(x, train) {
  fit <- suppressWarnings(glm.fit(x[train, ], z[train], family = binomial()))
  a <- drop(x[-train, ] %*% fit$coefficients) > 0
  truth <- z[-train]
  tp <- sum(truth & a)
  tp == 286 && sum(a) == 333 && sum(truth) == 329
}

count <- function(name, halves) {
  for (model in names(models)) {
    for (role in c("train", "validate")) {
      hits <- vapply(halves, function(half) {
        train <- if (role == "train") half else setdiff(seq_len(n), half)
        has_table(models[[model]], train)
      }, logical(1))
      cat(name, model, role, length(halves), sum(hits), "", sep = ",")
      cat(paste(names(halves)[hits], collapse = " "), "\n", sep = "")
    }
  }
}

cat("half,predictors,role,halves,hits,which\n")
count("first rows", list(first = 1:535))
count("odd rows", list(odd = seq(1, n, 2)))
for (kind in c("Rejection", "Rounding")) {
  suppressWarnings(RNGkind(sample.kind = kind))
  halves <- lapply(setNames(seeds, seeds), function(seed) {
    set.seed(seed)
    sample(n, 535)
  })
  count(paste("sample", kind), halves)
}
