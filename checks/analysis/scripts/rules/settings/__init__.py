"""What a program switches on and where it computes: cuDNN, TF32, half precision, several GPUs, operations that vary."""
