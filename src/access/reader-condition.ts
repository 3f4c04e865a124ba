import type { StructureRows } from '../store/sites/structure.ts'
import type { SiteExternalLinkRow, SiteSectionRow, SiteSpaceRow } from '../store/tables/rows.ts'

/** A part of a site that readers may not be shown. */
export type ConditionedRow = SiteSectionRow | SiteSpaceRow | SiteExternalLinkRow

/** A condition that no reader meets. */
const never = 'false'

/**
 * Returns the condition under which readers are shown a section, link or site space itself: its own, or
 * one that no reader meets for a draft and for what lies in a draft group. Null for none.
 */
export const readerCondition = (
  rows: Pick<StructureRows, 'groups'>,
  row: ConditionedRow,
): string | null => (row.draft === 1 || isInDraft(rows, row) ? never : row.condition)

function isInDraft({ groups }: Pick<StructureRows, 'groups'>, row: ConditionedRow): boolean {
  let id = 'group_id' in row ? row.group_id : null
  while (id !== null) {
    const group = groups.find(each => each.id === id)
    if (group?.draft === 1) return true
    id = group?.parent_id ?? null
  }

  return false
}
