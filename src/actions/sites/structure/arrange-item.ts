import { checkCondition } from '../../../content/site/conditions.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import { changeExternalLink, externalLinkOf, removeExternalLink } from './external-links.ts'
import { isSeen, moveItem } from './move-item.ts'
import { isSame, parentOf, siblingsIn } from './order-items.ts'
import { changeSectionGroup, removeSectionGroup } from './section-groups.ts'
import { changeSection, removeSection } from './sections.ts'
import { changeSiteSpace, removeSiteSpace } from './site-spaces.ts'
import {
  groupOf,
  type StructureEdit,
  type StructureItem,
  sectionOf,
  siteSpaceOf,
} from './structure-edit.ts'

/** Settings that items of several types have. What an item of a type does not have is left out. */
type ItemChange = {
  title?: string | undefined
  url?: string | undefined
  /** Null for none. */
  condition?: string | null | undefined
  draft?: boolean | undefined
}

/** Throws 'missing' for an item that the site does not have. */
export function checkItem(edit: StructureEdit, { type, id }: StructureItem): void {
  if (type === 'site-space') siteSpaceOf(edit, id)
  else if (type === 'site-section') sectionOf(edit, id)
  else if (type === 'site-external-link') externalLinkOf(edit, id)
  else groupOf(edit, id)
}

/**
 * Changes an item of any type. Throws 'missing' for one that is not there, 'invalid' for a
 * condition that cannot be read.
 */
export function changeItem(
  edit: StructureEdit,
  { type, id }: StructureItem,
  { title, url, condition, draft }: ItemChange,
): void {
  if (condition) checkCondition(condition, type === 'site-space' ? 'visitor+space' : 'visitor')
  const set = {
    ...(title !== undefined && { title }),
    ...(condition !== undefined && { condition }),
    ...(draft !== undefined && { draft: Number(draft) }),
  }
  switch (type) {
    case 'site-space':
      changeSiteSpace(edit, siteSpaceOf(edit, id).row, { condition, draft })
      break
    case 'site-section-group':
      changeSectionGroup(edit, groupOf(edit, id), { title, draft })
      break
    case 'site-section':
      changeSection(edit, sectionOf(edit, id), set)
      break
    default:
      changeExternalLink(edit, externalLinkOf(edit, id), {
        ...set,
        ...(url !== undefined && { url }),
      })
  }
}

/**
 * Removes an item of any type. The spaces in it stay, and the children of a group take its place. Throws
 * 'missing' for an item that the site does not have.
 */
export function removeItem(edit: StructureEdit, { type, id }: StructureItem): void {
  if (type === 'site-space') removeSiteSpace(edit, siteSpaceOf(edit, id).row)
  else if (type === 'site-section') removeSection(edit, sectionOf(edit, id))
  else if (type === 'site-external-link') removeExternalLink(edit, externalLinkOf(edit, id))
  else removeSectionGroup(edit, groupOf(edit, id))
}

/**
 * Moves an item one place up or down among its siblings that the caller sees. The first one stays
 * where it is, and so does the last. Throws 'missing' for one that is not there.
 */
export function moveByOne(edit: StructureEdit, item: StructureItem, way: 'up' | 'down'): void {
  checkItem(edit, item)
  const rows = readStructure(edit.ctx.store, edit.site.id)
  const siblings = siblingsIn(rows, item.type, parentOf(rows, item) ?? null).filter(each =>
    isSeen(edit, each),
  )
  const at = siblings.findIndex(each => isSame(each, item))
  const beside = siblings[way === 'up' ? at - 1 : at + 1]
  if (beside) moveItem(edit, item, way === 'up' ? { before: beside } : { after: beside })
}
