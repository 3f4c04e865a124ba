import type { z } from 'zod'
import type { Access, Actor, Origin, RequestFacts } from '../access/asker.ts'
import type { Context } from '../context.ts'
import type { ReadScope } from '../store/changes.ts'

/** The reply of an operation without a body: a 204, or a 201 without content. */
export const nothing = Symbol('nothing')

/** A reply with a status or headers besides its body. */
export class Answer<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Record<string, string>

  constructor(body: Body, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

/**
 * The last step of an operation that changes rows only: synchronous work that writes them and
 * returns the reply.
 */
export class InTransaction<Body, Granted = object> {
  readonly work: (granted: Granted) => Body | Answer<Body>

  constructor(work: (granted: Granted) => Body | Answer<Body>) {
    this.work = work
  }
}

/**
 * Ends a handler with work that runs in one transaction, which also stores the reply for the
 * caller's Idempotency-Key: a crash cannot make the operation run twice. The guard runs again in
 * the transaction, and the work gets what it grants then: the rows that the handler was granted may
 * be outdated.
 */
export const inTransaction = <Body, Granted>(
  work: (granted: Granted) => Body | Answer<Body>,
): InTransaction<Body, Granted> => new InTransaction(work)

/** Returns the reply of a creation: the resource, and its address in `Location`. */
export const created = <Body extends { urls: { location: string } }>(shown: Body): Answer<Body> =>
  createdAt(shown.urls.location, shown)

/** Returns the reply of a creation whose body does not contain the address of the resource. */
export const createdAt = <Body>(location: string, body: Body): Answer<Body> =>
  new Answer(body, { headers: { Location: location } })

/**
 * A reply of bytes with a strong ETag of what it was made from; answers `If-None-Match` with 304.
 */
export type Bytes = {
  readonly bytes: Buffer | AsyncIterable<Buffer>
  /** The ETag without quotes. */
  readonly etag?: string
  readonly type?: string
  readonly cacheControl?: string
  readonly headers?: Record<string, string>
  /**
   * Returns whether a repeated request still has this answer, apart from changes of rows.
   * Synchronous; does not throw. Without it the answer is never reused.
   */
  readonly holds?: () => boolean
  /** The space and the organization whose rows the answer depends on; without it, any row. */
  readonly scope?: ReadScope
}

/** Returns the headers of a reply that a 304 carries as well. */
export const headersOf = ({ cacheControl, headers, etag }: Bytes): Record<string, string> => ({
  'Cache-Control': cacheControl ?? 'private, no-cache',
  ...headers,
  ...(etag !== undefined && { ETag: `"${etag}"` }),
})

export type Shape<T> = z.ZodType<T>
export type Infer<S> = S extends z.ZodType<infer Output> ? Output : undefined
type Reply = z.ZodType | typeof nothing | `${string}/${string}`
type ReplyBody<R extends Reply, None = void> = R extends z.ZodType ? z.input<R> : None

export type Input<Params, Query, Body, Granted> = Granted & {
  ctx: Context
  actor: Actor
  /** The user and the origin of the request, as events record them. */
  by: { userId: Granted extends { user: object } ? string : string | null; origin: Origin }
  params: Params
  query: Query
  body: Body
  request: RequestFacts
}

/** What an operation declares besides what it takes, what it answers and its work. */
export type EndpointFacts<P extends Shape<object>, G extends object> = {
  /** The name in the OpenAPI document: the official client's operationId where it has one. */
  operationId: string
  summary: string
  description?: string
  /** The client's document says that it goes: another operation does the same. */
  deprecated?: boolean
  params: P
  /**
   * Admits readers of published sites; the guard then decides what they may read. By default they
   * are refused.
   */
  readers?: boolean
  /** The answer is rendered, compared or searched for: it waits for a slot of `Admission`. */
  computes?: boolean
  access: Access<z.output<P>, G>
}

type EndpointOptions<
  P extends Shape<object>,
  Q extends Shape<object> | undefined,
  B extends Shape<unknown> | undefined,
  R extends Reply,
  G extends object,
> = EndpointFacts<P, G> & {
  query?: Q
  body?: B
  /** The body may be left out; the handler then gets the schema's output for `{}`. */
  bodyOptional?: boolean
  /** The maximum size of the body in bytes; 1 MB by default. */
  bodyLimit?: number
  /** The handler honours `If-Match`. */
  ifMatch?: boolean
  /**
   * Refuses an Idempotency-Key, since answers are not stored; the reason, as the end of a sentence.
   */
  unstored?: string
  /** A schema, `nothing`, or a media type for a reply that is not JSON. */
  reply: R
  /** The answer has an address in `Location`, as each answer with status 201 does. */
  locates?: boolean
  /** The status of success: 200 by default, or 204 with `nothing`. */
  status?: number
} & Handler<Input<z.output<P>, Infer<Q>, Infer<B>, G>, ReplyBody<R>, G>

type Handler<Given, Body, Granted> =
  | {
      handle: (
        asked: Given,
      ) => MaybePromise<Body | Answer<Body> | InTransaction<Body, Granted> | Bytes>
      write?: never
    }
  | {
      /** The handler of an operation that changes rows only: it is the work of `inTransaction`. */
      write: (asked: Given) => Body | Answer<Body>
      handle?: never
    }

export type MaybePromise<T> = T | Promise<T>

/** One operation as a value: its input, guard, handler and reply. */
export type Endpoint<Params = unknown> = {
  operationId: string
  summary: string
  description: string | undefined
  deprecated: boolean
  params: z.ZodType
  /** A type only, never set: the params that `routes` checks against the path. */
  readonly paramsType?: Params
  query: z.ZodType | undefined
  body: z.ZodType | undefined
  bodyOptional: boolean
  bodyLimit: number
  readers: boolean
  computes: boolean
  ifMatch: boolean
  unstored: string | undefined
  reply: Reply
  locates: boolean
  status: number
  access: Access<never, object>
  handle: (input: never) => unknown
}

/** Returns an endpoint. The guard is part of it and cannot be left out. */
export function endpoint<
  P extends Shape<object>,
  R extends Reply,
  G extends object,
  Q extends Shape<object> | undefined = undefined,
  B extends Shape<unknown> | undefined = undefined,
>(options: EndpointOptions<P, Q, B, R, G>): Endpoint<z.output<P>> {
  const { write } = options
  return {
    operationId: options.operationId,
    summary: options.summary,
    description: options.description,
    deprecated: options.deprecated ?? false,
    params: options.params,
    query: options.query,
    body: options.body,
    bodyOptional: options.bodyOptional ?? false,
    bodyLimit: options.bodyLimit ?? 1_000_000,
    readers: options.readers ?? false,
    computes: options.computes ?? false,
    ifMatch: options.ifMatch ?? false,
    locates: options.locates ?? false,
    unstored: options.unstored,
    reply: options.reply,
    status: options.status ?? (options.reply === nothing ? 204 : 200),
    access: options.access as unknown as Access<never, object>,
    handle: write
      ? (asked: never) => inTransaction(granted => write(Object.assign({}, asked, granted)))
      : (options.handle as (asked: never) => unknown),
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The parameter names of a path: `/a/:b/*c` has `b` and `c`. */
type Names<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? Names<Head> | Names<Tail>
  : Path extends `:${infer Name}` | `*${infer Name}`
    ? Name
    : never

/** The keys of a params type; `z.object({})` has none. */
type Keys<Params> = string extends keyof Params ? never : keyof Params

type Fits<Key extends string, E> = Key extends `${Method} /${infer Path}`
  ? E extends Endpoint<infer Params>
    ? [Names<Path>, Keys<Params>] extends [Keys<Params>, Names<Path>]
      ? E
      : never
    : never
  : never

/**
 * Returns a route table: `'METHOD /path/:name'` to endpoint. A duplicate path, an unknown method,
 * or a path whose names differ from the endpoint's params does not compile.
 */
export const routes = <const T extends RouteTable>(
  table: T & { [Key in keyof T]: Key extends string ? Fits<Key, T[Key]> : never },
): T => table

type RouteTable = Record<string, Endpoint>

/** The tables that share no key with an earlier one; `never` in place of each other table. */
type Disjoint<Tables extends readonly RouteTable[], Seen = never> = Tables extends readonly [
  infer First,
  ...infer Rest extends readonly RouteTable[],
]
  ? [[keyof First & Seen] extends [never] ? First : never, ...Disjoint<Rest, Seen | keyof First>]
  : []

/** Joins route tables in their order. Two tables with the same path do not compile. */
export function joinRoutes<const T extends readonly RouteTable[]>(
  ...tables: T & Disjoint<T>
): RouteTable {
  return Object.assign({}, ...tables)
}
