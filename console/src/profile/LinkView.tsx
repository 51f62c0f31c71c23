import { Notice } from '~/ui/Section';
import { formatDistance } from '~/ui/times';
import type { SignInLink } from './actions';
import { CopyField } from './CopyField';
import './profile.css';

/** A link and its QR code, to take away. */
export function LinkView({ link, label }: { readonly link: SignInLink; readonly label: string }) {
  const isShown = link.qrCode?.startsWith('data:image/');
  return (
    <Notice>
      <div className="profile-link">
        {isShown && <img src={link.qrCode} alt={`QR code of the ${label.toLowerCase()}`} width={164} height={164} />}
        <div className="profile-link-text">
          <CopyField label={label} value={link.url} />
          <p className="muted">It ends {formatDistance(link.expiresAt)}.</p>
        </div>
      </div>
    </Notice>
  );
}
