import { directoryOf, isFolderPage } from '../files.ts'
import type { Outline } from './outline.ts'

/** The deepest level of entries that is read. */
export const deepest = 32

/** Returns the entry of a path or URL, with its name in the list of pages if it has one. */
export function entryFor(target: string, label = ''): Outline {
  const isLink = /^[a-z][a-z0-9+.-]*:|^\/\//i.test(target)
  if (isLink) return { kind: 'link', title: label || target, target, children: [] }
  return {
    kind: 'page',
    title: '',
    target: `/${target.replace(/^(?:\.?\/)+/, '')}`,
    ...(label && { label }),
    children: [],
  }
}

/**
 * Returns the entry of a section. The page of its folder, if it is the first in it, is the page of
 * the section.
 */
export function sectionFor(label: string, children: Outline[]): Outline {
  const [first, ...others] = children
  const target = first?.kind === 'page' && first.children.length === 0 ? (first.target ?? '') : ''
  if (isFolderPage(target) && directoryOf(target) !== '/')
    return { ...entryFor(target, label), children: others }
  return { kind: 'text', title: label, children }
}
