import { z } from 'zod'
import { Fields } from '../access/fields.ts'

/** The maximum length of the parameter, and of a list of names in an error. */
const longestFields = 2_000
const mostListed = 40

/** Returns the query of an operation with the parameter `fields`, which names fields of its reply. */
export const selecting = <Shape extends z.ZodRawShape>(
  query: z.ZodObject<Shape, z.core.$strict>,
  reply: z.ZodType,
) => query.extend({ fields: fieldsOf(reply).optional() })

const fieldsOf = (reply: z.ZodType) =>
  z
    .string()
    .min(1)
    .max(longestFields)
    .transform((text, ctx): Fields => {
      const made = parseFields(reply, text)
      if (typeof made !== 'string') return made
      ctx.issues.push({ code: 'custom', message: made, input: text })
      return z.NEVER
    })
    .meta({
      description:
        'Only these fields of the answer, with commas between them. `a.b` is the field `b` of `a`, or of each item of the list `a`; in a tree, it is that of the entries at every depth. Default: all fields.',
    })

/** Returns the fields of a query that was parsed with `selecting`. */
export function fieldsIn(query: unknown): Fields | undefined {
  const { fields } = (query ?? {}) as { fields?: unknown }
  return fields instanceof Fields ? fields : undefined
}

/** The fields that a text names: of each, those below it; undefined for all of it. */
type Named = Map<string, Named | undefined>

/** Returns the fields of a reply that a text names, or what is wrong with it. */
function parseFields(reply: z.ZodType, text: string): Fields | string {
  const named: Named = new Map()
  for (const path of text.split(',')) {
    const steps = stepsOf(reply, path)
    if (typeof steps === 'string') return steps
    add(named, steps)
  }
  return made(reply, named)
}

/**
 * Returns the names in a path, or what is wrong with it. The name of a list of entries below entries
 * of their kind is left out: these are taken like the entries above.
 */
function stepsOf(reply: z.ZodType, path: string): string[] | string {
  const steps: string[] = []
  let schema = reply
  for (const name of path.split('.')) {
    const inner = below(schema, name)
    if (!inner) return unknownField(path, steps, schema)
    if (name !== againOf(schema, steps.at(-1))) steps.push(name)
    schema = inner
  }
  return steps
}

function add(named: Named, [name = '', ...rest]: readonly string[]): void {
  if (named.has(name) && named.get(name) === undefined) return
  if (rest.length === 0) {
    named.set(name, undefined)
    return
  }
  const inner = named.get(name) ?? new Map()
  named.set(name, inner)
  add(inner, rest)
}

const made = (schema: z.ZodType, named: Named, list?: string): Fields =>
  new Fields(
    new Map(
      [...named].map(([name, inner]) => [
        name,
        inner && made(below(schema, name) as z.ZodType, inner, name),
      ]),
    ),
    againOf(schema, list),
  )

/**
 * Returns the name of a list, through which a schema was reached, if the schema has a list of its
 * own kind of entries by the same name.
 */
function againOf(schema: z.ZodType, list: string | undefined): string | undefined {
  const inner = list === undefined ? undefined : below(schema, list)
  if (!inner) return undefined
  const own = objectsIn(schema)
  const within = objectsIn(inner)
  return within.length > 0 && within.every(each => own.includes(each)) ? list : undefined
}

function unknownField(path: string, steps: readonly string[], schema: z.ZodType): string {
  const names = [...new Set(objectsIn(schema).flatMap(({ shape }) => Object.keys(shape)))]
  const where = steps.length === 0 ? 'the answer' : `"${steps.join('.')}"`
  const said = JSON.stringify(path.slice(0, 60))
  if (names.length === 0) return `names ${said}, but ${where} has no fields of its own`
  const more = names.length > mostListed ? ' and others' : ''
  return `names ${said}, but ${where} has only ${names.slice(0, mostListed).join(', ')}${more}`
}

/** Returns the schema of a field; undefined for an unknown name. */
function below(schema: z.ZodType, name: string): z.ZodType | undefined {
  const found = objectsIn(schema).flatMap(({ shape }) =>
    Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : [],
  )
  if (found.length > 1) return z.union(found)
  return found[0] ?? (name === '' ? undefined : valuesIn(schema))
}

/** Returns the schemas of the objects that a schema allows, also as items of lists. */
const objectsIn = (schema: z.ZodType): z.ZodObject[] =>
  alternatives(schema).filter(each => each instanceof z.ZodObject)

/** Returns the schema of the values of objects whose names are free. */
function valuesIn(schema: z.ZodType): z.ZodType | undefined {
  const record = alternatives(schema).find(each => each instanceof z.ZodRecord)
  return record?.valueType as z.ZodType | undefined
}

/** Returns the schemas that one stands for: without what wraps it, and each of a union. */
function alternatives(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodArray) return alternatives(schema.element as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap(alternatives)
  if (
    schema instanceof z.ZodLazy ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  )
    return alternatives(schema.unwrap() as z.ZodType)
  return [schema]
}
