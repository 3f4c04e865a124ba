import type { Page } from 'playwright-core'
import type { LiveState } from '../live-states.ts'
import type { Desk } from './desk.ts'

type State = LiveState<Desk>

/** A state of a path below `/app`. */
const at = (path: (desk: Desk) => string, more: Partial<State> = {}): State => ({
  at: desk => desk.to(path(desk)),
  member: true,
  keys: true,
  ...more,
})

const space = (rest: string, more?: Partial<State>): State =>
  at(desk => `/s/${desk.handbook}${rest}`, more)
const ofPage = (before: string, after = '', more?: Partial<State>): State =>
  at(desk => `/s/${desk.handbook}${before}/${desk.page}${after}`, more)

/** Presses what opens a menu or a drawer. */
const press = (selector: string) => async (page: Page) => {
  await page.locator(selector).first().click()
}

/** Sends a form that is refused. */
const sendEmpty = (button: string) => async (page: Page) => {
  await page.evaluate(() => {
    for (const field of document.querySelectorAll('[required]')) field.removeAttribute('required')
  })
  await page.locator(button).click()
  await page.locator('[role=alert]').first().waitFor()
}

const editorIsThere = async (page: Page) => {
  await page.locator('.cm-content').waitFor()
}

/** Tab is a key of the editor while it is in a table: the walk through the page is another test. */
const editor = { act: editorIsThere, keys: false }

const pages: Readonly<Record<string, State>> = {
  home: at(() => ''),
  search: at(() => '/search?q=words'),
  'search-nothing': at(() => '/search?q=qqxxqqxx'),
  account: at(() => '/account'),
  people: at(desk => `/people/${desk.organization}`),
  space: space(''),
  'space-empty': at(desk => `/s/${desk.empty}`),
  page: ofPage('/p'),
  findings: space('/findings'),
  'findings-none': at(desk => `/s/${desk.empty}/findings`),
  history: space('/history'),
  revision: at(desk => `/s/${desk.handbook}/history/${desk.revision}`),
  'page-history': ofPage('/p', '/history'),
  changes: space('/changes'),
  'changes-none': at(desk => `/s/${desk.empty}/changes`),
  overview: space('/changes/1'),
  'overview-rules': space('/changes/2'),
  'overview-draft': space('/changes/3'),
  'overview-merged': space('/changes/4'),
  'overview-closed': space('/changes/5'),
  changed: ofPage('/changes/1/pages'),
  'changed-side': ofPage('/changes/1/pages', '?view=side'),
  'changed-source': ofPage('/changes/1/pages', '?view=source'),
  files: space('/changes/1/files'),
  conflicts: space('/changes/1/conflicts'),
  organize: space('/organize'),
  new: space('/new'),
  delete: ofPage('/delete'),
  edit: ofPage('/edit', '?to=new', editor),
  'edit-in-request': ofPage('/changes/2/edit', '', editor),
  missing: at(() => '/nowhere', { status: 404 }),
  hidden: at(() => '/s/none', { status: 404 }),
}

const small = [390, 820]

const moments: Readonly<Record<string, State>> = {
  person: at(() => '', { act: press('[popovertarget="~person"]'), keys: false }),
  more: space('', { act: press('[popovertarget="~more"]'), keys: false }),
  'conflicts-result': space('/changes/1/conflicts', {
    act: async page => {
      await page.locator('[value=theirs]').first().check()
      await page.locator('.result section').first().waitFor()
      // What comes after a choice is no shift.
      await page.evaluate(() => {
        ;(globalThis as { shifts?: string[] }).shifts = []
      })
    },
    keys: false,
  }),
  live: space('/changes/1', {
    act: page =>
      page.evaluate(() => {
        document.querySelector('[data-live]')?.append('2 new commits.')
      }),
    keys: false,
  }),
  drawer: space('', { act: press('[popovertarget="~side"]'), widths: small, keys: false }),
  'overview-open': space('/changes/1', {
    act: page =>
      page.evaluate(async () => {
        for (const details of document.querySelectorAll('details')) details.open = true
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
        // The script opened them, as a person would: what moves is no shift.
        ;(globalThis as { shifts?: string[] }).shifts = []
      }),
  }),
  'new-problem': space('/new', {
    act: sendEmpty('main button[type=submit]'),
    refused: 400,
    keys: false,
  }),
  arabic: at(desk => `/s/${desk.arabic}`),
  'arabic-page': at(desk => `/s/${desk.arabic}/p/${desk.arabicPage}`),
  'arabic-edit': at(desk => `/s/${desk.arabic}/edit/${desk.arabicPage}?to=new`, editor),
  'large-overview': space('/changes/1', { large: true, keys: false }),
  'large-page': ofPage('/p', '', { large: true, keys: false }),
}

/** Each page again as it is seen in forced colours. */
const forced = Object.fromEntries(
  Object.entries(pages).map(([name, state]) => [
    `forced-${name}`,
    { ...state, forcedColors: 'active' as const, widths: [1440], keys: false },
  ]),
)

/** The states of the workbench that the checks open, by name. */
export const deskStates: Record<string, State> = { ...pages, ...moments, ...forced }
