import type { Outcome } from '../../content/edit/apply.ts'
import type { Change } from '../../content/edit/changes.ts'

const longest = 72

const verbs: Record<Outcome['object'], string> = {
  created_page: 'Add',
  updated_page: 'Update',
  deleted_page: 'Delete',
}

/** The first line of the commit of a batch: what it changed, e.g. "Update Install" or "Add 3 pages". */
export function subjectOf(
  changes: readonly Change[],
  outcomes: readonly Outcome[],
  titleOf: (id: string) => string | undefined,
): string {
  const [applied] = changes
  if (changes.length === 1 && applied?.operation === 'apply_template')
    return cut(`Apply the template "${applied.template.title}"`)
  const named = new Set(changes.flatMap(change => ('page' in change ? [change.page] : [])))
  // Pages whose links followed a renamed one are not what the commit is about, nor are those below a deleted one.
  const meant = outcomes.filter(({ object, page }) => object === 'created_page' || named.has(page))
  const shown = meant.length > 0 ? meant : outcomes
  const [first] = shown
  if (!first) return cut(ofFiles(changes))
  const kinds = new Set(shown.map(({ object }) => object))
  const verb = kinds.size === 1 ? verbs[first.object] : 'Change'
  const title = shown.length === 1 ? titleOf(first.page) : undefined
  return cut(title ? `${verb} ${title}` : `${verb} ${count(shown.length, 'page')}`)
}

function ofFiles(changes: readonly Change[]): string {
  const said = changes.flatMap(change => {
    if (change.operation === 'insert_files')
      return [change.files.length === 1 ? `Add ${change.files[0]!.name}` : `Add ${change.files.length} files`]
    if (change.operation === 'delete_file') return ['Delete a file']
    if (change.operation === 'rename_file') return [`Rename a file to ${change.name}`]
    return change.operation === 'set_variables' ? ['Set variables'] : []
  })
  return said.length === 1 ? said[0]! : 'Change files'
}

const count = (n: number, what: string): string => (n === 1 ? `a ${what}` : `${n} ${what}s`)

const cut = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  const letters = [...line]
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join('')}…`
}
