import { useState } from 'react';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { ConfirmButton } from '~/ui/Confirm';
import { TextField } from '~/ui/fields/Field';
import { Notice, Section } from '~/ui/Section';
import { formatInstant } from '~/ui/times';
import { useAnswerOffer, useTransfer } from './actions';
import { addressFault } from './permissions';
import { useOffersToMe, useOwnOffer, type BookTransfer, type Collaborator } from './queries';

/** Gives the book to somebody else: offer and withdraw as owner, accept and decline as recipient. */
export function TransferSection({ people, me }: { readonly people: readonly Collaborator[]; readonly me: Collaborator | undefined }) {
  const { id: bookId, can } = useBook();
  const isOwner = can('OWNER');
  const own = useOwnOffer(bookId, isOwner).data;
  const received = useOffersToMe().data?.find((each) => each.bookId === bookId);
  const offer = isOwner ? own : received;
  if (!isOwner && !offer) return null;
  return (
    <Section
      title="Ownership"
      lead={isOwner ? 'A book has one owner. You can offer it to somebody else; you stay its owner until they accept, and keep the permission to edit afterwards.' : undefined}
    >
      {offer && (isOwner ? <OwnOffer offer={offer} /> : <OfferToMe offer={offer} />)}
      {isOwner && <OfferForm people={people} own={me?.email} hasOffer={Boolean(offer)} />}
    </Section>
  );
}

function OwnOffer({ offer }: { readonly offer: BookTransfer }) {
  const { id: bookId, book } = useBook();
  const answer = useAnswerOffer(bookId);
  return (
    <Notice>
      <p>Offered to <strong><bdi>{offer.email}</bdi></strong>, open until {formatInstant(offer.expiresAt, book.timeZone)}.</p>
      <div className="actions"><Button isDisabled={answer.isPending} onPress={() => void answer.run({ offer, answer: 'withdraw' })}>Withdraw the offer</Button></div>
    </Notice>
  );
}

/** An offer to the caller with its answers. Also on the page of all offers. */
export function OfferToMe({ offer }: { readonly offer: BookTransfer }) {
  const answer = useAnswerOffer(offer.bookId!);
  return (
    <Notice>
      <p><bdi>{offer.ownerEmail}</bdi> offers you the book <strong><bdi>{offer.bookName}</bdi></strong>, until {formatInstant(offer.expiresAt)}.</p>
      <p className="muted">As the owner you decide who works in it, and its storage counts for you.</p>
      <div className="actions">
        <Button look="primary" isDisabled={answer.isPending} onPress={() => void answer.run({ offer, answer: 'accept' })}>Accept</Button>
        <Button isDisabled={answer.isPending} onPress={() => void answer.run({ offer, answer: 'decline' })}>Decline</Button>
      </div>
    </Notice>
  );
}

function OfferForm({ people, own, hasOffer }: { readonly people: readonly Collaborator[]; readonly own: string | undefined; readonly hasOffer: boolean }) {
  const [email, setEmail] = useState('');
  const transfer = useTransfer();
  const { book } = useBook();
  const typed = email.trim();
  const fault = typed === '' ? undefined : (addressFault(typed) ?? (typed.toLowerCase() === own ? 'You own it already.' : undefined));
  const isStranger = typed !== '' && !fault && !people.some((person) => person.email === typed.toLowerCase());
  return (
    <div className="form-line">
      <TextField
        label="E-mail address of the new owner" inputMode="email" value={email} onChange={setEmail} error={fault}
        note={isStranger ? 'This person does not work in the book yet. Check the address.' : undefined}
      />
      <ConfirmButton
        label="Offer the book" look="danger" question={`Offer ${book.name}?`} confirm="Offer the book"
        isDisabled={typed === '' || fault !== undefined || transfer.isPending}
        onConfirm={() => void transfer.run({ email: typed }).then((done) => done && setEmail(''))}
      >
        <p><strong><bdi>{typed}</bdi></strong> can accept within 30 days and then owns this book. {hasOffer && 'The open offer ends.'}</p>
      </ConfirmButton>
    </div>
  );
}
