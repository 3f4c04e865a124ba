import type { z } from 'zod'
import type { Access, Actor, RequestFacts } from '../access/asker.ts'
import type { Context } from '../context.ts'

/** No body: the answer of a 204, or of a 201 that has none. */
export const nothing = Symbol('nothing')

/** An answer with more to say than its body. */
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

/** The end of an operation that changes rows alone: its rows and its answer, made without waiting for anything. */
export class AtOnce<Body> {
  readonly work: () => Body | Answer<Body>

  constructor(work: () => Body | Answer<Body>) {
    this.work = work
  }
}

/**
 * Ends a handler with work that is done in one transaction, together with keeping the answer for the caller's
 * Idempotency-Key: no crash in between makes it happen twice.
 */
export const atOnce = <Body>(work: () => Body | Answer<Body>): AtOnce<Body> => new AtOnce(work)

/** An answer made of bytes, with the strong ETag of what it was made from: answers `If-None-Match` with 304. */
export type Bytes = {
  readonly bytes: Buffer | AsyncIterable<Buffer>
  /** Without quotes. */
  readonly etag?: string
  readonly type?: string
  readonly cacheControl?: string
  readonly headers?: Record<string, string>
  /**
   * Whether the same question still has this answer, as far as rows do not say so; asked at once when it is asked again.
   * Left out: nobody knows without making it anew. Throws nothing.
   */
  readonly holds?: () => boolean
}

/** What stands on an answer beside its body, be it sent whole or as a 304. */
export const headersOf = ({ cacheControl, headers, etag }: Bytes): Record<string, string> => ({
  'Cache-Control': cacheControl ?? 'private, no-cache',
  ...headers,
  ...(etag !== undefined && { ETag: `"${etag}"` }),
})

type Shape<T> = z.ZodType<T>
type Infer<S> = S extends z.ZodType<infer Output> ? Output : undefined
type Reply = z.ZodType | typeof nothing | `${string}/${string}`
type ReplyBody<R extends Reply> = R extends z.ZodType ? z.input<R> : undefined

export type Input<Params, Query, Body, Granted> = Granted & {
  ctx: Context
  actor: Actor
  params: Params
  query: Query
  body: Body
  request: RequestFacts
}

export type EndpointOptions<
  P extends Shape<object>,
  Q extends Shape<object> | undefined,
  B extends Shape<unknown> | undefined,
  R extends Reply,
  G extends object,
> = {
  /** The name in the OpenAPI document; the official client's operationId where it has one. */
  operationId: string
  summary: string
  description?: string
  params: P
  query?: Q
  body?: B
  /** The body may be left out; the handler then gets what the schema makes of `{}`. */
  bodyOptional?: boolean
  /** The most bytes a body may have; 1 MB when not said. */
  bodyLimit?: number
  /** The handler honours the header `If-Match`. */
  ifMatch?: boolean
  /** A schema, `nothing`, or a media type for what is not JSON. */
  reply: R
  /** The status of success; 200, or 204 with `nothing`. */
  status?: number
  access: Access<z.output<P>, G>
  handle: (
    input: Input<z.output<P>, Infer<Q>, Infer<B>, G>,
  ) => MaybePromise<ReplyBody<R> | Answer<ReplyBody<R>> | AtOnce<ReplyBody<R>> | Bytes>
}

type MaybePromise<T> = T | Promise<T>

/** One operation as a value: what it takes, who may, what it does, what it gives. */
export type Endpoint<Params = unknown> = {
  operationId: string
  summary: string
  description: string | undefined
  params: z.ZodType
  /** Only a type: the params that `routes` holds against the path. Never set. */
  readonly paramsType?: Params
  query: z.ZodType | undefined
  body: z.ZodType | undefined
  bodyOptional: boolean
  bodyLimit: number
  ifMatch: boolean
  reply: Reply
  status: number
  access: Access<never, object>
  handle: (input: never) => unknown
}

/** Makes an endpoint value. Permission is part of it and cannot be left out. */
export function endpoint<
  P extends Shape<object>,
  R extends Reply,
  G extends object,
  Q extends Shape<object> | undefined = undefined,
  B extends Shape<unknown> | undefined = undefined,
>(options: EndpointOptions<P, Q, B, R, G>): Endpoint<z.output<P>> {
  return {
    operationId: options.operationId,
    summary: options.summary,
    description: options.description,
    params: options.params,
    query: options.query,
    body: options.body,
    bodyOptional: options.bodyOptional ?? false,
    bodyLimit: options.bodyLimit ?? 1_000_000,
    ifMatch: options.ifMatch ?? false,
    reply: options.reply,
    status: options.status ?? (options.reply === nothing ? 204 : 200),
    access: options.access as unknown as Access<never, object>,
    handle: options.handle as (input: never) => unknown,
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The parameter names of a path: `/a/:b/*c` has `b` and `c`. */
type Names<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? Names<Head> | Names<Tail>
  : Path extends `:${infer Name}` | `*${infer Name}`
    ? Name
    : never

/** The keys that a params type names; `z.object({})` names none. */
type Keys<Params> = string extends keyof Params ? never : keyof Params

type Fits<Key extends string, E> = Key extends `${Method} /${infer Path}`
  ? E extends Endpoint<infer Params>
    ? [Names<Path>, Keys<Params>] extends [Keys<Params>, Names<Path>]
      ? E
      : never
    : never
  : never

/**
 * The table of contents: `'METHOD /path/:name'` to endpoint. A duplicate path, an unknown method, or a path
 * whose names are not the endpoint's params does not compile.
 */
export const routes = <const T extends Record<string, Endpoint>>(
  table: T & { [Key in keyof T]: Key extends string ? Fits<Key, T[Key]> : never },
): Record<string, Endpoint> => table as unknown as Record<string, Endpoint>
