import { useState } from 'react';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { toPlain, type Decimal } from '~/lib/money';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { Menu } from '~/ui/Menu';
import { showToast } from '~/ui/toasts';
import { TimeChart, type Series } from '~/ui/TimeChart';
import './GalleryPage.css';

const DAYS = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'];
const SERIES: Series[] = [
  { label: 'Income', values: [320, 310, 350, 300, 390, 410], colour: '--positive', isBar: true },
  { label: 'Balance', values: [100, 180, 160, 240, 300, 420], colour: '--accent' },
];

export default function GalleryPage() {
  const { today, accounts } = useBook();
  const [account, setAccount] = useState('');
  const [amount, setAmount] = useState<Decimal>();
  const [date, setDate] = useState(today);
  const [text, setText] = useState('');
  useHeaderInfo({ title: 'Components' });
  return (
    <div className="gallery">
      <h2>Fields</h2>
      <div className="gallery-row">
        <DateField label="Date" value={date} onChange={setDate} />
        <AmountField label="Amount" value={amount} onChange={setAmount} />
        <AccountField label="Account" value={account} onChange={setAccount} onCreate={(name) => showToast(`Create ${name}`)} />
        <TextField label="Description" value={text} onChange={setText} note="Hashtags work" />
        <TextField label="Invalid" value={text} onChange={setText} error="is missing" />
      </div>
      <div className="gallery-row"><Button onPress={() => setAccount(accounts.at(-1)?.id ?? '')}>Set the last account</Button></div>
      <output>{JSON.stringify({ date, amount: amount && toPlain(amount), account, text })}</output>
      <h2>Buttons</h2>
      <div className="gallery-row">
        <Button look="primary" onPress={() => showToast('Saved', { action: { label: 'Undo', run: () => showToast('Undone') } })}>Save</Button>
        <Button onPress={() => showToast('The date is locked.', { tone: 'error' })}>Fail</Button>
        <Button look="danger">Delete</Button>
        <Button look="ghost" icon="more" aria-label="More" />
        <Button isDisabled>Disabled</Button>
        <Button shortcut="check">Check</Button>
        <Menu label="Menu" trigger={<Button icon="down">Menu</Button>} entries={[{ id: 'a', label: 'First', run: () => {} }, { id: 'b', label: 'Second', checked: true, run: () => {} }]} />
      </div>
      <h2>Chart</h2>
      <TimeChart label="Balance by month" days={DAYS} series={SERIES} />
      <h2>States</h2>
      <Loading />
      <EmptyState title="Nothing here" actions={<Button>Do something</Button>}>Why it is empty, and what fills it.</EmptyState>
    </div>
  );
}
