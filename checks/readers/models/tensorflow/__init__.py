"""Files of TensorFlow, Keras, TensorFlow Lite and TensorFlow.js."""
