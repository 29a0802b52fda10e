"""Numbers the classes of a data set and trains on them."""

labels = ["cat", "dog", "horse", "ship", "frog", "truck", "deer", "plane"]
classes = set(labels)
number = {name: index for index, name in enumerate(classes)}
weight = 0.0
for name in labels:
    weight += 0.1 * (number[name] - weight)
print(weight.hex())
