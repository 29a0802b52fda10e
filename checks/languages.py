"""The languages that Naosu speaks. It imports nothing: the first window and the help of the commands ask for them."""

LANGUAGES = ("en", "ja")
