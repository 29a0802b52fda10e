"""What torch.save writes: an archive of storages and the values in them."""
