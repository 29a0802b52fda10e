"""Splits files into training and validation by their names."""

names = [f"image_{number:04}.png" for number in range(200)]
validation = [name for name in names if hash(name) % 10 == 0]
print(len(validation), validation)
