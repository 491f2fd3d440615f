# Estimates and standard errors of two stratified accuracy assessments with R's survey package.
# Rscript strata.R > strata.csv
suppressMessages(library(survey))

rows <- function(name, true, predicted, stratum, shares) {
  d <- data.frame(true, predicted, stratum)
  d$weight <- shares[d$stratum] / table(stratum)[d$stratum]
  design <- svydesign(~1, strata = ~stratum, weights = ~weight, data = d)
  line <- function(metric, class, x) {
    cat(name, metric, class, format(coef(x), digits = 15), format(SE(x), digits = 15), sep = ",")
    cat("\n")
  }
  for (class in sort(unique(true))) {
    # update() looks for names among the columns first, so new columns have names of their own.
    design <- update(design, t = 1 * (true == class), p = 1 * (predicted == class))
    design <- update(design, right = t * p, both = t + p, twice = 2 * t * p)
    line("precision", class, svyratio(~right, ~p, design))
    line("recall", class, svyratio(~right, ~t, design))
    line("f1", class, svyratio(~twice, ~both, design))
  }
  design <- update(design, right = 1 * (true == predicted))
  line("accuracy", "", svymean(~right, design))
}

cat("design,metric,class,estimate,error\n")
# Olofsson et al. (2014), Table 8, as CRAN's mapaccuracy 0.1.2 quotes it: map classes in rows.
counts <- matrix(c(66, 0, 5, 4, 0, 55, 8, 12, 1, 0, 153, 11, 2, 1, 9, 313), 4, byrow = TRUE)
map <- rep(row(counts), counts)
rows("olofsson", rep(col(counts), counts), map, as.character(map),
     c("1" = 0.02, "2" = 0.015, "3" = 0.32, "4" = 0.645))
# Stehman (2014), the numerical example, from the same source. Strata are not the map classes.
letters_of <- function(text) strsplit(text, "")[[1]]
rows("stehman", letters_of("AAAAACBABCABBBBBAABBCCCCCDDBBADDDDDDDCCB"),
     letters_of("AAAAAAABBBABBBBBBBBBBBCCCCCCBBDDDDDDDDDD"), rep(c("A", "B", "C", "D"), each = 10),
     c(A = 0.4, B = 0.3, C = 0.2, D = 0.1))
