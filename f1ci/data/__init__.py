"""Data of any origin become `Items`, `CellCounts` or `UnitCounts`; everything else asks these.

`Items` are labels of one or several models, counted. `CellCounts` are a confusion matrix, or a
batch of them. `UnitCounts` are TP, FP and FN of documents or of multilabel items.
`f1ci.data.labels` reads labels and indicators, and `f1ci.data.checks` refuses what cannot be meant.
Arrays have cells, classes or rows first, and a batch of data sets last.
"""
