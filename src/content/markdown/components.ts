import { htmlTagAt } from './html.ts'

/** The components of MDX that are shown as blocks: those of Mintlify, Docusaurus and Starlight. */
const names = [
  'Accordion',
  'AccordionGroup',
  'Aside',
  'Callout',
  'Card',
  'CardGrid',
  'CardGroup',
  'Check',
  'CodeGroup',
  'Danger',
  'Info',
  'Note',
  'Step',
  'Steps',
  'Tab',
  'TabItem',
  'Tabs',
  'Tip',
  'Warning',
] as const

export type ComponentName = (typeof names)[number]

const known: ReadonlySet<string> = new Set(names)

/** Reports whether a name, with its capital letters, is that of a component shown as a block. */
export const isComponent = (name: string): name is ComponentName => known.has(name)

const beginning = new RegExp(`^</?(?:${names.join('|')})(?=[\\s/>]|$)`)

/** Reports whether a text begins with a tag of a component. */
export const startsComponent = (text: string): boolean => beginning.test(text)

/** Finds the titles in start tags of components: in the first or the second group. */
export const titledComponent = new RegExp(
  `<(?:${names.join('|')})\\s[^<>]*?(?<=\\s)(?:title|label)\\s*=\\s*(?:"([^"]*)"|'([^']*)')`,
  'g',
)

/** The most lines of one tag. */
const mostLines = 16

/** A tag of a component on lines of its own. `opens`: its content is below it. */
type ComponentTag = { text: string; opens: boolean }

/**
 * Reads the tag of a component that a line begins. `below` returns the next line without its
 * indentation, and undefined where the block around it ends. Returns undefined if more than the tag
 * is on its lines.
 */
export function componentTag(
  line: string,
  below: () => string | undefined,
): ComponentTag | undefined {
  let text = line.trimEnd()

  for (let count = 1; count <= mostLines; count++) {
    const tag = htmlTagAt(text, 0)
    if (tag !== undefined)
      return tag === text ? { text, opens: !/^<\/|\/>$/.test(text) } : undefined
    const next = count < mostLines ? below() : undefined
    if (next === undefined) return undefined
    text += `\n${next.trimEnd()}`
  }

  return undefined
}
