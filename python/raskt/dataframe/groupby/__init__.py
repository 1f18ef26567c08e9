"""Group-by: keys, aggregations, transformations."""
