"""What is true: data and pure rules. Imports nothing of the product but itself."""
