"""The version of pplc, in one place that the generated modules can name."""

VERSION = "0.1.0"
