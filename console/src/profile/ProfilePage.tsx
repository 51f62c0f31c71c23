import { signOutUrl } from '~/api/session';
import { useUser } from '~/book/queries';
import { useHeaderInfo } from '~/frame/headerInfo';
import { useOffersToMe } from '~/people/queries';
import { OfferToMe } from '~/people/TransferSection';
import { Button } from '~/ui/Button';
import { Loading } from '~/ui/EmptyState';
import { Section, SectionPage } from '~/ui/Section';
import { Fact, Facts } from '~/ui/SidePanel';
import { Preferences } from './Preferences';
import { ProfileTabs } from './ProfileTabs';

/** Who the caller is, what others offer, and preferences of this browser. */
export default function ProfilePage() {
  const { data: user } = useUser();
  const { data: offers = [] } = useOffersToMe();
  useHeaderInfo({ title: 'Profile' });
  if (!user) return <Loading label="Loading the profile" />;
  const { storage } = user;
  return (
    <SectionPage>
      <ProfileTabs />
      {offers.length > 0 && (
        <Section title="Books offered to you">
          {offers.map((offer) => <OfferToMe key={offer.bookId} offer={offer} />)}
        </Section>
      )}
      <Section title="You" actions={<Button onPress={() => window.location.assign(signOutUrl())}>Sign out</Button>}>
        <Facts>
          <Fact name="Name"><bdi>{user.fullName || user.name}</bdi></Fact>
          <Fact name="E-mail"><bdi>{user.email}</bdi></Fact>
          <Fact name="Username"><bdi>{user.username}</bdi></Fact>
          {storage && (
            <Fact name="Your books">
              {count(storage.transactions)} transactions{limit(storage.maxTransactions)}, {size(storage.bytes)}{storage.maxBytes ? ` of ${size(storage.maxBytes)}` : ''}
            </Fact>
          )}
        </Facts>
        <p className="muted profile-note">
          The name comes from the service that you sign in with, or from your address. An administrator of the server changes the address.
        </p>
      </Section>
      <Preferences />
    </SectionPage>
  );
}

const count = (value: number | string | undefined) => Number(value ?? 0).toLocaleString('en');
const limit = (value: number | string | undefined) => (value ? ` of ${count(value)}` : '');

function size(bytes: number | string | undefined): string {
  const value = Number(bytes ?? 0);
  if (value < 1000) return `${value} bytes`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} KB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}
