"""What every collection is made of: expressions, labels of columns, samples, functions over partitions."""
