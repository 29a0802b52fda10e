"""Programs whose results change from run to run, tried with the changes that `naosu scan` offers."""
