import type { ComponentName } from '../markdown/components.ts'
import { styleOf } from '../markdown/containers.ts'
import type { HtmlTag } from './html.ts'
import { addElement, addWords, closeElement, type Growing, innermost, openElement } from './tree.ts'

type Attributes = Readonly<Record<string, string>>

/** A component as an element. `open` opens it, and adds what its attributes show. */
type Component = { name: string; open: (growing: Growing, attributes: Attributes) => void }

/** Adds a title in bold, as an element that has no other place for one. */
function addTitle(growing: Growing, title: string | undefined, name: string): void {
  openElement(growing, name)
  if (title) {
    openElement(growing, 'strong')
    addWords(growing, title)
    closeElement(growing, 'strong')
  }
  closeElement(growing, name)
}

const plain = (name: string, own?: Attributes): Component => ({
  name,
  open: growing => openElement(growing, name, own),
})

/** A hint. Without a kind of its own, its attribute `type` names one. */
const hint = (kind?: string): Component => ({
  name: '%hint',
  open: (growing, { type, title }) => {
    openElement(growing, '%hint', { style: styleOf(kind ?? type ?? 'note') })
    if (title) addTitle(growing, title, 'p')
  },
})

const tab: Component = {
  name: '%tab',
  open: (growing, { title, label, value }) =>
    openElement(growing, '%tab', { title: title ?? label ?? value ?? '' }),
}

const step: Component = {
  name: '%step',
  open: (growing, { title }) => {
    openElement(growing, '%step')
    if (title) addTitle(growing, title, 'p')
  },
}

const accordion: Component = {
  name: 'details',
  open: (growing, { title, defaultopen }) => {
    const isOpen = defaultopen !== undefined && !/false/.test(defaultopen)
    openElement(growing, 'details', isOpen ? { open: '' } : undefined)
    addElement(growing, 'summary', undefined, [title || 'Details'])
  },
}

/** The columns of a table of cards: the target, the title and the text. */
const columns: readonly Attributes[] = [
  { 'data-hidden': '', 'data-card-target': '', 'data-type': 'content-ref' },
  {},
  {},
]

function openCards(growing: Growing, attributes: Attributes): void {
  openElement(growing, 'table', { ...attributes, 'data-view': 'cards' })
  openElement(growing, 'thead')
  openElement(growing, 'tr')
  for (const attributes of columns) addElement(growing, 'th', attributes)
  closeElement(growing, 'thead')
}

const cards: Component = { name: 'table', open: openCards }

/** A row of a table of cards. A card that is not in a group has a table of its own. */
const card: Component = {
  name: 'tr',
  open: (growing, { title, href }) => {
    const around = innermost(growing)
    const isInGroup = around.name === 'table' && around.attributes['data-view'] === 'cards'
    if (!isInGroup) openCards(growing, { single: 'yes' })
    openElement(growing, 'tr')
    openElement(growing, 'td')

    if (href) {
      openElement(growing, 'a', { href })
      closeElement(growing, 'a')
    }

    closeElement(growing, 'td')
    addTitle(growing, title, 'td')
    openElement(growing, 'td')
  },
}

const components: Readonly<Record<ComponentName, Component>> = {
  Accordion: accordion,
  AccordionGroup: plain('div'),
  Aside: hint(),
  Callout: hint(),
  Card: card,
  CardGrid: cards,
  CardGroup: cards,
  Check: hint('check'),
  CodeGroup: plain('%tabs', { codes: 'true' }),
  Danger: hint('danger'),
  Info: hint('info'),
  Note: hint('note'),
  Step: step,
  Steps: plain('%stepper'),
  Tab: tab,
  TabItem: tab,
  Tabs: plain('%tabs'),
  Tip: hint('tip'),
  Warning: hint('warning'),
}

/** Reads a tag of a component: opens or closes its element. */
export function readComponent(growing: Growing, component: ComponentName, tag: HtmlTag): void {
  const { name, open } = components[component]
  if (tag.kind === 'open') open(growing, tag.attributes)
  if (tag.kind === 'open' && !tag.closed) return
  closeElement(growing, name)
  const around = innermost(growing)
  if (component === 'Card' && around.attributes.single !== undefined) closeElement(growing, 'table')
}
