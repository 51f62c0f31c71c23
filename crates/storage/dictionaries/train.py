"""Makes events-1.dict, the dictionary that snapshots of events are compressed with.

What is stored refers to it, so it is never made anew: this is how it came about, and how a second
one, with a number of its own, would. The samples are made up, and are no data of the benchmarks.

    python3 train.py events-1.dict      # needs libzstd.so.1
"""

import ctypes
import json
import random
import sys

SIZE = 8192
SAMPLES = 20_000

WORDS = """
Groceries Rent Salary Coffee Lunch Dinner Breakfast Train ticket Hotel Taxi Fuel Insurance Water
Electricity Internet Phone Office supplies Software subscription Consulting invoice Payment from
Payment to Refund Bank fee Interest Transfer Withdrawal Cash Books Clothes Gift Doctor Pharmacy
Miete Einkauf Lebensmittel Gehalt Strom Versicherung Rechnung Tanken Restaurant Supermarkt Bahn
Fahrkarte Überweisung Gebühr Möbel Alquiler Nómina Comida Compra Luz Teléfono Pago Factura Loyer
Courses Salaire Facture Assurance Virement Frais Aluguel Salário Mercado Energia Conta Cartão
Serviço Mensalidade Loan Mortgage Dividend Tax Sales Purchase Order Material Freight Marketing
Advertising Travel Repair Maintenance Amazon Google Apple Visa Mastercard PayPal Stripe GmbH Inc
Ltd Card Monthly January February March April May June July August September October November
December Invoice Receipt No. for of and the with in #food #travel #work #office #tax #rent #car
#home #family #project #q1 #q2 #q3 #q4
""".split()
ACCOUNTS = """
Cash|Bank|Bank account|Checking|Checking account|Savings|Savings account|Credit Card|Wallet|PayPal
Petty cash|Groceries|Rent|Salary|Income|Sales|Revenue|Expenses|Travel|Food|Restaurants|Office
Office supplies|Utilities|Insurance|Interest|Interest income|Fees|Bank fees|Taxes|Equity|Capital
Opening balances|Accounts Receivable|Accounts Payable|Inventory|Loan|Mortgage|Customer|Supplier
Account|Client|Vendor|Miete|Gehalt|Kasse|Giro|Lebensmittel|Car|Health|Education|Entertainment
Clothing|Gifts|Telephone|Internet|Software|Marketing|Equipment|Depreciation|Wages|VAT|Sales tax
Cost of goods sold|Investments|Brokerage|Retained earnings|Banco|Caixa|Cartão de crédito|Salário
Alimentação|Transporte|Moradia|Lazer|Saúde|Banque|Caisse|Ventes|Achats|Caja|Ventas|Compras|Gastos
""".strip().replace("\n", "|").split("|")
KEYS = """
category reference invoice invoice_number order order_id counterparty bank iban project cost_center
external_id note currency exchange_rate exchange_code exchange_amount tax_code tax_rate customer
supplier type source payment_method due_date period import_id statement location quantity price
""".split()
AGENTS = "exchange-bot tax-bot import-bot bank-sync sales-bot subledger webhook cli".split()
YEARS = [1999, 2010, 2018, 2020, 2022, 2023, 2024, 2025, 2026, 2026, 2026, 2027, 2027, 2028]


def maybe(chance):
    return random.random() < chance


def number(digits):
    return str(random.randrange(10 ** random.randint(1, digits)))


def some_id():
    return str(random.randrange(912 * 10**15, 999 * 10**15))


def day():
    return f"{random.choice(YEARS)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


def amount():
    whole = random.randrange(random.choice([10, 100, 1000, 10_000, 1_000_000]))
    return f"{whole}.{random.choice(['00', '00', '50', '99', '95', f'{random.randrange(100):02}'])}"


def words(most):
    text = " ".join(random.choice(WORDS) for _ in range(random.randint(1, most)))
    return text + " " + number(6) if maybe(0.3) else text


def name():
    return random.choice(ACCOUNTS) + (" " + number(5) if maybe(0.3) else "")


def properties():
    count = random.randint(1, 3)
    return {random.choice(KEYS): random.choice([number(9), words(2)]) for _ in range(count)}


def remote_id():
    uuid = f"{random.getrandbits(128):032x}"
    return random.choice([number(8), some_id(), uuid, f"inv-{number(5)}", f"{number(6)}-{day()}"])


def transaction():
    made = {
        "amount": amount(),
        "creditAccount": {"id": some_id(), "name": name()},
        "date": day(),
        "debitAccount": {"id": some_id(), "name": name()},
        "description": words(5),
    }
    for chance, key, value in [
        (0.1, "agentId", random.choice(AGENTS)),
        (0.2, "checked", True),
        (0.1, "createdBy", number(4)),
        (0.9, "posted", True),
        (0.3, "properties", properties()),
        (0.5, "remoteIds", [remote_id()]),
        (1 / 20, "trashed", True),
        (1 / 20, "urls", [f"https://www.example.com/{number(6)}"]),
    ]:
        if maybe(chance):
            made[key] = value
    return made


def of_chart():
    moment = str(random.randrange(1_700_000_000_000, 1_900_000_000_000))
    made = {"createdAt": moment, "id": some_id(), "name": name(), "updatedAt": moment}
    if maybe(0.2):
        made["properties"] = properties()
    if maybe(0.2):
        return {**made, "hidden": True}
    groups = [{"id": some_id(), "name": name()} for _ in range(random.randint(0, 2))]
    kind = random.choice(["ASSET", "LIABILITY", "INCOMING", "OUTGOING"])
    return {**made, "groups": groups, "type": kind} if groups else {**made, "type": kind}


def event():
    made = {"object": of_chart() if maybe(0.1) else transaction()}
    if maybe(0.15):
        keys = ["amount", "date", "description", "creditAccountId", "debitAccountId", "properties"]
        value = random.choice([amount(), day(), words(4), some_id()])
        made["previousAttributes"] = {random.choice(keys): value}
    text = json.dumps(made, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def train(samples):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZDICT_trainFromBuffer.restype = ctypes.c_size_t
    made = ctypes.create_string_buffer(SIZE)
    sizes = (ctypes.c_size_t * len(samples))(*map(len, samples))
    joined = b"".join(samples)
    length = zstd.ZDICT_trainFromBuffer(
        made, ctypes.c_size_t(SIZE), joined, sizes, ctypes.c_uint(len(samples))
    )
    if zstd.ZDICT_isError(ctypes.c_size_t(length)):
        raise SystemExit("the samples make no dictionary")
    return made.raw[:length]


if __name__ == "__main__":
    random.seed(1)
    with open(sys.argv[1], "wb") as file:
        file.write(train([event() for _ in range(SAMPLES)]))
