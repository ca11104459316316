"""Does the product compute its answers, or hold those that its tests ask for?"""
