import type { ComponentChildren } from 'preact'
import type { z } from 'zod'
import type { Access } from '../../access/asker.ts'
import type { NeededScope } from '../../access/scopes.ts'
import type { SignedInUser } from '../../access/session.ts'
import type { Context } from '../../context.ts'
import type { Infer, Input, InTransaction, MaybePromise, Shape } from '../../http/endpoint.ts'
import type { Hold } from '../../http/limits/admission.ts'
import type { SentFile } from '../../http/receiving/multipart.ts'
import type { SessionRow, UserRow } from '../../store/tables/rows.ts'

/** The names in a path: `/s/:spaceId/*rest` has `spaceId` and `rest`. */
type Names<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? Names<Head> | Names<Tail>
  : Path extends `:${infer Name}` | `*${infer Name}`
    ? Name
    : never

/** The parameters of a path, as the address has them. */
type PathParams<Path extends string> = { [Name in Names<Path>]: string }

/** Who asks, and for what: what the loader and the view of a page get. */
export type PageInput<
  Params = object,
  Query = undefined,
  Granted = object,
  Body = undefined,
> = Input<Params, Query, Body, Granted> & {
  /** The user of the browser, whatever the guard grants. */
  me: UserRow
  actor: SignedInUser['actor']
  session: SessionRow
  /** Called with the size of each text before it is parsed: see `Admission`. */
  hold: Hold
  /** Returns the address of a path of the workbench, such as `/s/abc`; '' is its home. */
  at: (path: string) => string
  /** A word for the `style-src` of the policy, if the view is one with `usesNonce`. */
  nonce: string
}

/** A key, or several, and what it does. */
export type Key = readonly [key: string, does: string]

/** A link to a path of the workbench, such as `/s/abc`. */
type WayTo = { title: string; to: string }

/** A page as HTML, for the frame. */
export type View = {
  /** The title of the document, and the heading of the page unless `heading` is there. */
  title: string
  /** What stands in the place of the heading; `null` for nothing, where `body` has an `h1`. */
  heading?: ComponentChildren | null
  /** What stands above the page, from the outermost. The page itself is not among them. */
  crumbs?: readonly WayTo[]
  /** What stands beside the heading: buttons and menus. */
  actions?: ComponentChildren
  /** The pages of the same thing, such as "Overview" and "Pages". */
  tabs?: readonly (WayTo & { current?: boolean; count?: number | string | undefined })[]
  /** The tabs are those of what stands above the page, as a space does, and stand above its heading. */
  hasTabsAbove?: boolean
  /** A column before the page, such as the list of pages of a space; a drawer on narrow screens. */
  side?: { label: string; body: ComponentChildren } | undefined
  body: ComponentChildren
  /** How wide the page is: a text of reading width by default. */
  width?: 'text' | 'wide' | 'full'
  status?: number
  /** Of a form that only shows something: the page has the form, with what was typed. */
  keepsForm?: boolean
  /** The page has blocks of the content format: `page` loads the behaviours of their script. */
  language?: { lang: string; dir: 'ltr' | 'rtl' }
  /** The path of the stream (see `Live`) that tells what changes while this page is open. */
  live?: string
  /** The keys that do something on the page, and what, besides those of every page. */
  keys?: readonly Key[]
  /** More style sheets and scripts, by the names of `workbenchAssets`. */
  styles?: readonly string[]
  scripts?: readonly string[]
  /** Allows style elements with the nonce of the request, as editors write them. */
  usesNonce?: boolean
}

/** Sends the browser elsewhere instead of showing a page: a path of the workbench, or an address. */
export class Redirect {
  readonly to: string

  constructor(to: string) {
    this.to = to
  }
}

/** An answer for a script of a page, as JSON, instead of a page. */
export class Data {
  readonly value: object

  constructor(value: object) {
    this.value = value
  }
}

/** What changed while a page is open, as a sentence; '' for nothing. */
export type LiveState = {
  text: string
  /** The words of a link that loads the page again. */
  again?: string
  /** The page loads itself again: there is nothing on it that its reader has typed. */
  reloads?: true
}

/** An answer that tells an open page what changes, as server-sent events. */
export class Live {
  readonly read: () => MaybePromise<LiveState>
  readonly join: () => () => void

  /** `join` is called when the page is opened; what it returns, when the page is left. */
  constructor(read: Live['read'], join: Live['join'] = () => () => {}) {
    this.read = read
    this.join = join
  }
}

/** What a page answers instead of what it shows. */
type Instead = Redirect | Data | Live

const isInstead = (data: unknown): data is Instead =>
  data instanceof Redirect || data instanceof Data || data instanceof Live

/** Returns what a loader returns that sends the browser to another path of the workbench. */
export const redirectTo = (path: string): Redirect => new Redirect(path)

type Method = 'GET' | 'POST'

/** A scope, several of which each is needed, or none. */
type Scopes = NeededScope | readonly NeededScope[] | undefined

const listed = (scope: Scopes): readonly NeededScope[] =>
  scope === undefined ? [] : typeof scope === 'string' ? [scope] : scope

/** Does work of `inTransaction`: the guard runs again, and what it grants then is given. */
export type Write<Granted = never> = <Result>(
  work: InTransaction<Result, Granted>,
) => Promise<Result>

/** The field of a form that takes a file, as "multipart/form-data". */
export type FileField<Asked, Kept, Granted = never> = {
  name: string
  mostBytes: (ctx: Context) => number
  /** Takes the file once the form is found to be the user's own, and the guard has let them pass. */
  take: (asked: Asked, file: SentFile, write: Write<Granted>) => Promise<Kept>
  /** Removes the file of a form that was not accepted. */
  drop: (ctx: Context, kept: Kept) => Promise<void>
}

/** A page or form as the router knows it. */
export type Route = {
  method: Method
  path: string
  scopes: readonly NeededScope[]
  access: Access<never, object>
  query: z.ZodType | undefined
  body: z.ZodType | undefined
  bodyLimit: number
  /** Of a form: its work takes a slot, as that of a page does. */
  computes: boolean
  file: FileField<never, unknown> | undefined
  /** Of a page: loads and shows it. */
  show: ((asked: never) => MaybePromise<View | Instead>) | undefined
  /** Of a form: does what it says. */
  act: ((asked: never) => unknown) | undefined
  /** Of a form: the path of the page that has it. */
  shownOn: ((params: never, values: ReadonlyMap<string, string>) => string) | undefined
}

/** Returns the value that tables hold for a page. */
export function page<
  const Path extends string,
  Granted extends object,
  Loaded,
  Query extends Shape<object> | undefined = undefined,
>(options: {
  /** Below `/app`: '' is home, `/s/:spaceId` a space. */
  path: Path
  /** What the token of the session needs: the scopes of the operations of the API that do the same. */
  scope: Scopes
  access: Access<PathParams<Path>, Granted>
  query?: Query
  load: (
    asked: PageInput<PathParams<Path>, Infer<Query>, Granted>,
  ) => MaybePromise<Loaded | Instead>
  view: (data: Loaded, asked: PageInput<PathParams<Path>, Infer<Query>, Granted>) => View
}): Route {
  const { path, access, query, load, view } = options
  const show = async (asked: Parameters<typeof load>[0]): Promise<View | Instead> => {
    const data = await load(asked)
    return isInstead(data) ? data : view(data, asked)
  }

  return {
    method: 'GET',
    ...{ path, query, show },
    scopes: listed(options.scope),
    access: access as unknown as Route['access'],
    body: undefined,
    bodyLimit: 0,
    computes: false,
    file: undefined,
    act: undefined,
    shownOn: undefined,
  }
}

/** Where the browser goes after a form, and what the next page says about it. */
export type Done = {
  /** A path of the workbench, with a fragment perhaps. */
  to: string
  /** A sentence such as "The comment was posted." */
  notice?: string
  /** More for a script that sent the form and gets the answer as JSON. */
  data?: object
  /** A secret that the next page shows once, and what it is. */
  secret?: { what: string; text: string }
}

/** The largest form that needs no larger limit, in bytes: a comment of 100,000 characters. */
const usualLimit = 1_000_000

/**
 * Returns the value that tables hold for a form. It is sent with POST; `act` ends with `inTransaction` where it
 * changes rows only, so that the guard runs again in the transaction.
 */
export function form<
  const Path extends string,
  Granted extends object,
  Body extends Shape<object>,
  Kept = undefined,
>(options: {
  path: Path
  /** As of a page. */
  scope: Scopes
  access: Access<PathParams<Path>, Granted>
  body: Body
  /** The most bytes of the form. */
  bodyLimit?: number
  /** Whether its work takes a slot, as that of a page does: rendering, comparing. */
  computes?: boolean
  /** A file that the form may have. */
  file?: FileField<PageInput<PathParams<Path>, undefined, Granted>, Kept, Granted>
  /** The path of the page that has the form: it is shown again with what was typed. */
  shownOn: (params: PathParams<Path>, values: ReadonlyMap<string, string>) => string
  act: (
    asked: PageInput<PathParams<Path>, undefined, Granted, z.output<Body>> & {
      file: Kept | undefined
    },
  ) => MaybePromise<Done | View | Data | InTransaction<Done, Granted>>
}): Route {
  const { path, access, body, bodyLimit = usualLimit, computes = false, shownOn, act } = options
  return {
    method: 'POST',
    file: options.file as Route['file'],
    ...{ path, body, bodyLimit, computes, shownOn, act },
    scopes: listed(options.scope),
    access: access as unknown as Route['access'],
    query: undefined,
    show: undefined,
  }
}
