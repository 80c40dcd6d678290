"""distributions"""
