# Train R's own learners on splits of a data set, and count.
#
#     Rscript r_learners.R <folder> <first> <last> <forests>
#
# The folder holds data.csv (the outcome z, then the features) and train.csv (a row per split: its
# number, then the rows that it trains on, from 1). With forests = 0, one line per split goes to
# the standard output: its number, then the joint cells of z and of the rules, as in
# splits-<name>.csv. Otherwise so many forests are grown on each split, and a line has the split,
# the forest, and the true and predicted positives.

suppressMessages({library(class); library(randomForest); library(e1071)})

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
first <- as.integer(arguments[2])
last <- as.integer(arguments[3])
forests <- as.integer(arguments[4])

table <- read.csv(file.path(folder, "data.csv"), stringsAsFactors = TRUE)
z <- table$z
x <- table[, names(table) != "z"]
label <- factor(z)
columns <- model.matrix(~ . - 1, x)  # a column for each level of a factor
train <- as.matrix(read.csv(file.path(folder, "train.csv"), header = FALSE))
letters <- !any(sapply(x, is.factor))  # the letters have a support vector machine as well

one <- function(answer) as.integer(as.character(answer))

rules <- function(rows) {
  rest <- -rows
  found <- list(
    one(knn(columns[rows, ], columns[rest, ], label[rows], k = 1)),
    as.integer(predict(suppressWarnings(glm(z ~ ., binomial, table[rows, ])), table[rest, ],
                       type = "response") > 0.5),
    one(predict(randomForest(x[rows, ], label[rows]), x[rest, ]))
  )
  if (letters) found[[4]] <- one(predict(svm(x[rows, ], label[rows]), x[rest, ]))
  found
}

for (line in which(train[, 1] >= first & train[, 1] < last)) {
  split <- train[line, 1]
  rows <- train[line, -1]
  set.seed(split)
  if (forests == 0) {
    index <- z[-rows]
    answers <- rules(rows)
    for (answer in answers) index <- 2 * index + answer
    cells <- tabulate(index + 1, 2^(length(answers) + 1))
    cat(split, cells, sep = ",")
    cat("\n")
  } else for (forest in seq_len(forests)) {
    answer <- one(predict(randomForest(x[rows, ], label[rows]), x[-rows, ]))
    cat(split, forest - 1, sum(answer * z[-rows]), sum(answer), sep = ",")
    cat("\n")
  }
}
