import type { Compilable, CompiledQuery } from 'kysely'

/**
 * Returns a function that returns the query of `build` for its arguments, but builds and compiles
 * it only once: for reads that many requests make, of which building the SQL is a large part.
 * `build` may use its arguments only as values.
 */
export function reusable<Args extends readonly unknown[], Row>(
  build: (...args: Args) => Compilable<Row>,
): (...args: Args) => Compilable<Row> {
  let made: CompiledRead<Row> | undefined
  return (...args) => {
    made ??= compileOnce(build, args.length)
    const { compiled, sources } = made
    const parameters = sources.map((source, at) =>
      source < 0 ? compiled.parameters[at] : args[source],
    )
    return { compile: () => ({ ...compiled, parameters }) }
  }
}

/**
 * A compiled query, and for each of its parameters the number of the argument that it is; -1 for a
 * constant.
 */
type CompiledRead<Row> = { compiled: CompiledQuery<Row>; sources: readonly number[] }

function compileOnce<Args extends readonly unknown[], Row>(
  build: (...args: Args) => Compilable<Row>,
  count: number,
): CompiledRead<Row> {
  // Each argument is an object of its own, so that it can be told from all others among the
  // parameters.
  const marks: readonly unknown[] = Array.from({ length: count }, () => ({}))
  const compiled = build(...(marks as Args)).compile()
  return { compiled, sources: compiled.parameters.map(value => marks.indexOf(value)) }
}
