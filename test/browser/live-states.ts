import type { Page } from 'playwright-core'
import type { LiveSites } from './live-site.ts'

/** A state of pages that somebody can see. */
export type LiveState<Sites = LiveSites> = {
  /** The address of the page. */
  at: (sites: Sites) => string
  status?: number
  /** Whether a member opens it who is signed in. */
  member?: boolean
  /** What the reader does on the page. */
  act?: (page: Page) => Promise<void>
  /** The status of a form that the reader sends. */
  refused?: number
  /** The widths at which the state exists. */
  widths?: readonly number[]
  /** Whether it is seen on paper. */
  printed?: boolean
  forcedColors?: 'active'
  /** Whether the browser's text is twice as large as by default. */
  large?: boolean
  /** Whether Tab and Esc are tried as well. */
  keys?: boolean
  /** Whether the length of its lines is measured. */
  lines?: boolean
}

/** Returns a function that presses a button of the page that opens a popover. */
const press = (name: string) => async (page: Page) => {
  await page.locator(`[popovertarget="~${name}"]`).first().click()
  await page.locator(`[id="~${name}"]`).waitFor()
}

/** Returns a function that types words into the dialog of the search. */
const search = (words: string) => async (page: Page) => {
  await page.locator('[id="~find"]').click()
  if (words === '') return
  await page.keyboard.type(words)
  await page.locator('[id="~search"] .count').waitFor()
}

const small = [390, 820]

/** The states that the checks open, by name. */
export const liveStates: Readonly<Record<string, LiveState>> = {
  home: { at: ({ manual }) => manual, keys: true, lines: true },
  middle: { at: ({ manual }) => `${manual}content`, keys: true, lines: true },
  longest: { at: ({ manual }) => `${manual}configuration`, lines: true },
  blocks: { at: ({ manual }) => `${manual}every-block`, keys: true },
  guides: { at: ({ manual }) => `${manual}workflows/getting-started/concepts`, lines: true },
  branch: {
    at: ({ manual }) => `${manual}workflows`,
    act: async page => {
      if (await page.locator('[popovertarget="~pages"]').isVisible()) await press('pages')(page)
      await page.locator('.twist').first().click()
      await page.locator('.twist[aria-expanded=true] + ul').waitFor()
    },
  },
  missing: { at: ({ manual }) => `${manual}change-request`, status: 404, keys: true },
  gone: { at: ({ gone }) => gone, status: 401, keys: true },
  sites: { at: ({ app }) => `${app.url}/` },
  'search-empty': { at: ({ manual }) => `${manual}~gitbook/search`, keys: true },
  search: { at: ({ manual }) => `${manual}~gitbook/search?q=branch`, keys: true },
  'search-nothing': { at: ({ manual }) => `${manual}~gitbook/search?q=qqxxqqxx` },
  'search-typo': { at: ({ manual }) => `${manual}~gitbook/search?q=reposotory` },
  dialog: { at: ({ manual }) => manual, act: search('') },
  'dialog-results': { at: ({ manual }) => manual, act: search('branch') },
  'dialog-nothing': { at: ({ manual }) => manual, act: search('qqxxqqxx') },
  'dialog-typo': { at: ({ manual }) => manual, act: search('reposotory') },
  pages: { at: ({ manual }) => `${manual}other`, act: press('pages'), widths: small },
  outline: { at: ({ manual }) => `${manual}git`, act: press('outline'), widths: small },
  links: { at: ({ news }) => `${news}git`, act: press('links'), widths: [390, 820] },
  variants: { at: ({ manual }) => `${manual}git`, act: press('variants'), widths: [1440] },
  community: { at: ({ news }) => news, act: press('link-1'), widths: [1440] },
  schemes: { at: ({ manual }) => manual, act: press('schemes') },
  actions: { at: ({ manual }) => `${manual}git`, act: press('actions') },
  note: {
    at: ({ manual }) => `${manual}every-block`,
    act: async page => {
      await page.locator('a[href="#note:1"]').first().click()
      await page.locator('.note-box').waitFor()
    },
  },
  announcement: { at: ({ news }) => news, keys: true },
  print: { at: ({ manual }) => `${manual}content`, printed: true, widths: [820] },
  'print-blocks': { at: ({ manual }) => `${manual}every-block`, printed: true, widths: [820] },
  arabic: { at: ({ arabic }) => arabic, keys: true },
  'arabic-pages': { at: ({ arabic }) => `${arabic}advanced`, act: press('pages'), widths: [390] },
  chinese: { at: ({ chinese }) => chinese },
  'chinese-search': { at: ({ chinese }) => `${chinese}~gitbook/search?q=安装` },
  large: { at: ({ manual }) => `${manual}content`, large: true },
  'large-blocks': { at: ({ manual }) => `${manual}every-block`, large: true },
  'large-search': { at: ({ manual }) => `${manual}~gitbook/search?q=branch`, large: true },
  forced: { at: ({ news }) => `${news}every-block`, forcedColors: 'active' },
  'forced-search': { at: ({ manual }) => manual, forcedColors: 'active', act: search('branch') },
  'forced-pages': {
    at: ({ manual }) => `${manual}git`,
    forcedColors: 'active',
    act: press('pages'),
    widths: [390],
  },
  toolbar: { at: ({ travel }) => `${travel.published}marks`, member: true, keys: true },
  'as-of': { at: ({ travel }) => `${travel.asOf}marks`, member: true, keys: true },
  'as-of-same': { at: ({ travel }) => `${travel.asOf}same`, member: true },
  'as-of-missing': { at: ({ travel }) => `${travel.asOf}nowhere`, status: 404, member: true },
  marks: { at: ({ travel }) => `${travel.request}marks`, member: true, keys: true },
  'marks-step': {
    at: ({ travel }) => `${travel.request}marks`,
    member: true,
    act: async page => {
      await page.locator('[data-step="1"]').click()
      await page.locator('.change:focus, .change > :focus').waitFor()
    },
  },
  'marks-pages': {
    at: ({ travel }) => `${travel.request}guide/new`,
    member: true,
    act: press('pages'),
    widths: small,
  },
  'marks-none': { at: ({ travel }) => `${travel.request}marks?marks=0`, member: true },
  'page-new': { at: ({ travel }) => `${travel.request}guide/new`, member: true },
  'page-removed': { at: ({ travel }) => `${travel.request}guide/old`, member: true },
  comparison: { at: ({ travel }) => `${travel.comparison}marks`, member: true, keys: true },
  history: { at: ({ travel }) => travel.history, member: true, keys: true },
  preview: { at: ({ travel }) => travel.preview, member: true, keys: true },
  'forced-marks': {
    at: ({ travel }) => `${travel.request}marks`,
    member: true,
    forcedColors: 'active',
  },
  'large-marks': { at: ({ travel }) => `${travel.request}marks`, member: true, large: true },
}
