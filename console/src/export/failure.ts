import { sentence } from '~/api/problem';
import { showToast } from '~/ui/toasts';

/** Shows why a file of the server cannot be downloaded. */
export function showDownloadFailure(error: unknown): void {
  showToast(`The download could not be started. ${sentence(error)}`, { tone: 'error' });
}
