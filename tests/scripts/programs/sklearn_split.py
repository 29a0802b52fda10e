"""Trains a regression on a split of the iris data."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

X, y = load_iris(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5)
model = LogisticRegression(max_iter=1000).fit(X_train, y_train)
print(float(np.sum(model.coef_)).hex(), model.score(X_test, y_test))
