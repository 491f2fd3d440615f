"""Published tables, and labels that give a table: what several tests start from."""

import numpy as np

# Takahashi et al., Table 1 and Appendix D; they print predicted classes in rows.
TOY = np.array([[2, 2, 2], [5, 70, 2], [0, 2, 15]]).T
MNN = np.array(
    [
        [5022, 577, 188, 19, 395],
        [407, 2468, 989, 4, 965],
        [130, 630, 27254, 1021, 763],
        [13, 0, 1236, 6399, 5],
        [103, 258, 609, 0, 9611],
    ]
)

# Jiang's orange juice example: the only integer table that gives the printed inputs.
JUICE = np.array([[159, 47], [43, 286]])


def labels_of(matrix):
    """Labels 0, ..., r - 1 that give a confusion matrix."""
    matrix = np.asarray(matrix)
    true, predicted = np.indices(matrix.shape)
    return np.repeat(true.ravel(), matrix.ravel()), np.repeat(predicted.ravel(), matrix.ravel())


def labels_of_cells(cells):
    """Truth and predictions from counts of joint cells Z A_1 ... A_m."""
    places = len(cells).bit_length() - 1
    code = np.repeat(np.arange(len(cells)), cells)
    truth, *predicted = ((code >> k) & 1 for k in range(places - 1, -1, -1))
    return truth, {f"A{k}": array for k, array in enumerate(predicted, start=1)}
