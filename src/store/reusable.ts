import type { Compilable, CompiledQuery } from 'kysely'

/**
 * Returns a function that returns the query of `build` for its arguments, but builds and compiles
 * it only once: for reads that many requests make, of which building the SQL is a large part.
 * `build` may use its arguments only as values.
 */
export function reusable<Args extends readonly unknown[], Row>(
  build: (...args: Args) => Compilable<Row>,
): (...args: Args) => Compilable<Row> {
  const kept: Kept<Args, Row> = { build, own: undefined, others: undefined }
  return (...args) => new ReusableQuery(kept, args)
}

/** What a reusable query keeps: compiled for SQLite, and for the other engine of this process. */
type Kept<Args extends readonly unknown[], Row> = {
  readonly build: (...args: Args) => Compilable<Row>
  own: CompiledRead<Row> | undefined
  others: CompiledRead<Row> | undefined
}

class ReusableQuery<Args extends readonly unknown[], Row> implements Compilable<Row> {
  readonly #kept: Kept<Args, Row>
  readonly #args: Args

  constructor(kept: Kept<Args, Row>, args: Args) {
    this.#kept = kept
    this.#args = args
  }

  compile(): CompiledQuery<Row> {
    const { build } = this.#kept
    this.#kept.own ??= compileOnce(build, this.#args.length, built => built.compile())
    return withValues(this.#kept.own, this.#args)
  }

  /** Compiles for another engine than SQLite. */
  compileWith(compile: Compile<Row>): CompiledQuery<Row> {
    this.#kept.others ??= compileOnce(this.#kept.build, this.#args.length, compile)
    return withValues(this.#kept.others, this.#args)
  }
}

type Compile<Row> = (built: Compilable<Row>) => CompiledQuery<Row>

/**
 * A compiled query, and for each of its parameters the number of the argument that it is; -1 for a
 * constant.
 */
type CompiledRead<Row> = { compiled: CompiledQuery<Row>; sources: readonly number[] }

function compileOnce<Args extends readonly unknown[], Row>(
  build: (...args: Args) => Compilable<Row>,
  count: number,
  compile: Compile<Row>,
): CompiledRead<Row> {
  // Each argument is an object of its own, so that it can be told from all others among the
  // parameters.
  const marks: readonly unknown[] = Array.from({ length: count }, () => ({}))
  const compiled = compile(build(...(marks as Args)))
  return { compiled, sources: compiled.parameters.map(value => marks.indexOf(value)) }
}

function withValues<Row>(
  { compiled, sources }: CompiledRead<Row>,
  args: readonly unknown[],
): CompiledQuery<Row> {
  const parameters = sources.map((source, at) =>
    source < 0 ? compiled.parameters[at] : args[source],
  )
  return { ...compiled, parameters }
}
