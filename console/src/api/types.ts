/** Short names of the schemas that views use. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Account = Schemas['Account'];
export type AccountBalances = Schemas['AccountBalances'];
export type Balances = Schemas['Balances'];
export type Book = Schemas['Book'];
export type Group = Schemas['Group'];
export type GroupBalances = Schemas['GroupBalances'];
export type Permission = Schemas['Permission'];
export type SavedQuery = Schemas['Query'];
export type Template = Schemas['Template'];
export type Transaction = Schemas['Transaction'];
export type TransactionList = Schemas['TransactionList'];
export type User = Schemas['User'];
