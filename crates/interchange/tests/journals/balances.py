"""Prints the balances of the accounts of a beancount file at the end of each month.

    pip install beancount==3.2.3
    python balances.py example.beancount > example.balances.csv
"""
import collections
import csv
import sys

from beancount import loader
from beancount.core import data

entries, errors, _ = loader.load_file(sys.argv[1])
for error in errors:
    print(error.message, file=sys.stderr)
months = sorted({(entry.date.year, entry.date.month)
                 for entry in entries if isinstance(entry, data.Transaction)})
changes = collections.defaultdict(lambda: collections.defaultdict(int))
for entry in entries:
    if isinstance(entry, data.Transaction):
        for posting in entry.postings:
            key = (posting.account, posting.units.currency)
            changes[key][(entry.date.year, entry.date.month)] += posting.units.number
rows = csv.writer(sys.stdout, lineterminator="\n")
for (account, currency), by_month in sorted(changes.items()):
    balance = 0
    for year, month in months:
        balance += by_month[(year, month)]
        if balance:
            rows.writerow([account, currency, f"{year}-{month:02}", f"{balance:f}"])
