import { waitingStates } from '../../store/spaces/import-runs.ts'
import type { ImportRunRow } from '../../store/tables/rows.ts'

/** Returns the path of the page that shows an import. */
export const importPath = ({ id, space_id }: Pick<ImportRunRow, 'id' | 'space_id'>): string =>
  `/s/${space_id}/imports/${id}`

/** Returns whether an import has not ended. */
export const isWaiting = ({ status }: Pick<ImportRunRow, 'status'>): boolean =>
  (waitingStates as readonly string[]).includes(status)

/** Returns how far an import is: in a few words, and in a sentence. */
export function stateOf({ status, reason, pages }: ImportRunRow): { title: string; text: string } {
  const count = pages.length === 1 ? '1 page' : `${pages.length} pages`
  switch (status) {
    case 'pending':
      return { title: 'Waiting', text: 'The import waits for its turn.' }
    case 'in-progress':
      return pages.length === 0
        ? { title: 'Reading the files', text: 'The files are being read.' }
        : { title: `Writing ${count}`, text: `The files were read. ${count} will be written.` }
    case 'completed':
      return {
        title: `Imported ${count}`,
        text: `${count} were imported.`.replace(/^1 page were/, '1 page was'),
      }
    case 'cancelled':
      return { title: 'Cancelled', text: 'The import was cancelled. Nothing was written.' }
    default:
      return { title: 'Failed', text: `Nothing was imported. ${reason ?? ''}`.trim() }
  }
}
