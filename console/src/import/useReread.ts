import { navigate, useQueryState } from '~/lib/router';
import { useBook } from '~/book/types';
import { useReadFile } from './actions';
import { changeOptions } from './journal';
import { importPath } from './paths';
import { sourceOf, type ReadOptions } from './sourceFiles';
import type { Import } from './types';

export interface Reread {
  /** Whether this page still has the file. */
  readonly hasFile: boolean;
  readonly isPending: boolean;
  /** Reads the file with other options, in place of this import. */
  readonly reread: (options: ReadOptions, file?: File) => Promise<void>;
}

/** Reads the file of an import again. `panel` stays open for the new import. */
export function useReread(run: Import, panel?: string): Reread {
  const { id: bookId } = useBook();
  const read = useReadFile();
  const [outcome] = useQueryState('outcome');
  const source = sourceOf(run.id);
  return {
    hasFile: source !== undefined,
    isPending: read.isPending,
    reread: async (options, chosen) => {
      const file = chosen ?? source?.file;
      if (!file) return;
      const started = await read.run({ source: { file, options: changeOptions(run.options, options) }, replaces: run });
      if (started) navigate(importPath(bookId, started.id, { ...(outcome ? { outcome } : {}), ...(panel ? { panel: `${panel}:${started.id}` } : {}) }), { replace: true });
    },
  };
}
