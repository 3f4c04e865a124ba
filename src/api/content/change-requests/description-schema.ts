import { z } from 'zod'
import { DescriptionText } from '../../../actions/change-requests/description.ts'
import { type Rule, rules, Text, topLevel } from './description-rules-schema.ts'

type Problem = { path: (string | number)[]; message: string }
type WaitingNode = { node: unknown; kinds: readonly string[]; path: (string | number)[] }

/** Returns the first problem of a document with its path; undefined for a valid document. */
function findProblem(nodes: readonly unknown[]): Problem | undefined {
  const waiting: WaitingNode[] = placesOf(nodes, topLevel, ['nodes'])
  for (let place = waiting.shift(); place; place = waiting.shift()) {
    const found = checkNode(place)
    if (!Array.isArray(found)) return found
    waiting.unshift(...found)
  }
  return undefined
}

const placesOf = (
  nodes: readonly unknown[],
  kinds: readonly string[],
  path: Problem['path'],
): WaitingNode[] => nodes.map((node, i) => ({ node, kinds, path: [...path, i] }))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the problem of a node, or else the places of its children. */
function checkNode({ node, kinds, path }: WaitingNode): Problem | WaitingNode[] {
  if (!isRecord(node))
    return { path, message: 'takes a node, such as {"object": "block", "type": "paragraph"}' }
  const kind = node.object === 'text' ? 'text' : node.type
  if (typeof kind !== 'string' || !kinds.includes(kind)) {
    const named = typeof kind === 'string' ? `"${kind.slice(0, 40)}"` : 'a node without a type'
    return { path: [...path, 'type'], message: `takes ${kinds.join(', ')} here, not ${named}` }
  }

  if (kind === 'text') return fits(Text, node, path) ?? []

  const rule = rules[kind]!
  if (node.object !== rule.object)
    return { path: [...path, 'object'], message: `takes "${rule.object}"` }

  return checkFields(node, rule, path) ?? [...placesInside(node, rule, path)]
}

function checkFields(
  node: Record<string, unknown>,
  rule: Rule,
  path: Problem['path'],
): Problem | undefined {
  if (node.key !== undefined && typeof node.key !== 'string')
    return { path: [...path, 'key'], message: 'takes a text' }
  const wanted = rule.isVoid ?? false
  if (node.isVoid === undefined ? rule.isVoid !== undefined : node.isVoid !== wanted)
    return { path: [...path, 'isVoid'], message: `takes ${wanted}` }
  if (rule.needsData && node.data === undefined)
    return { path: [...path, 'data'], message: 'takes an object and is required' }

  const wrong = node.data === undefined ? undefined : fits(rule.data, node.data, [...path, 'data'])
  if (wrong) return wrong
  if (rule.nodes && !Array.isArray(node.nodes))
    return { path: [...path, 'nodes'], message: 'takes a list of nodes' }

  return rule.fragments && checkFragments(node.fragments, rule.fragments, [...path, 'fragments'])
}

function checkFragments(
  fragments: unknown,
  { key, kinds }: NonNullable<Rule['fragments']>,
  path: Problem['path'],
): Problem | undefined {
  const names = Object.keys(kinds)
  const wanted = `takes fragments with "${key}": ${names.map(name => `"${name}"`).join(' or ')}, each with nodes`
  if (!Array.isArray(fragments)) return { path, message: wanted }

  for (const [i, fragment] of fragments.entries()) {
    const name = isRecord(fragment) && fragment.object === 'fragment' ? String(fragment[key]) : ''
    const inside = isRecord(fragment) ? fragment.nodes : undefined
    if (!names.includes(name) || !Array.isArray(inside))
      return { path: [...path, i], message: wanted }
    if (name === 'caption') continue

    if (inside.length === 0 || (name === 'expandable-title' && inside.length > 1))
      return {
        path: [...path, i, 'nodes'],
        message: 'takes at least one node, and exactly one in a title',
      }

    if (key === 'fragment' && (fragment as { type?: unknown }).type !== name)
      return { path: [...path, i, 'type'], message: `takes "${name}"` }
  }

  return undefined
}

function* placesInside(
  node: Record<string, unknown>,
  rule: Rule,
  path: Problem['path'],
): Generator<WaitingNode> {
  if (rule.nodes) yield* placesOf(node.nodes as unknown[], rule.nodes, [...path, 'nodes'])
  if (!rule.fragments) return
  const { key, kinds } = rule.fragments
  for (const [i, fragment] of (node.fragments as Record<string, unknown>[]).entries()) {
    const at = [...path, 'fragments', i, 'nodes']
    yield* placesOf(fragment.nodes as unknown[], kinds[String(fragment[key])]!, at)
  }
}

function fits(schema: z.ZodType, value: unknown, path: Problem['path']): Problem | undefined {
  const issue = schema.safeParse(value).error?.issues[0]
  return (
    issue && {
      path: [...path, ...issue.path.map(part => (typeof part === 'number' ? part : String(part)))],
      message: issue.message,
    }
  )
}

/**
 * A document with the kinds of node that descriptions use; the message of a refusal names the first
 * invalid node.
 */
export const Description = z
  .looseObject({
    object: z.literal('document'),
    data: z.looseObject({ schemaVersion: z.int().optional() }),
    nodes: z.array(z.record(z.string(), z.unknown())),
  })
  .superRefine(({ nodes }, check) => {
    const problem = findProblem(nodes)
    if (problem) check.addIssue({ code: 'custom', path: problem.path, message: problem.message })
  })
  .meta({
    id: 'ChangeRequestDescription',
    description: 'A text as a tree of blocks.',
    sentences: {
      data: 'Data of the document as a whole.',
      'data.schemaVersion':
        'The version of the document format that the sender used; it is kept as sent.',
      nodes: 'The blocks, in their order: each has `object`, `type`, and `nodes` or `leaves`.',
    },
  })

/**
 * A description as sent: a document, alone or in the form of the body of a comment, or Markdown. It
 * becomes the document that is stored, or null, which removes the description.
 */
export const NewDescription = z
  .union([
    Description,
    z.strictObject({
      document: Description.meta({ description: 'The text as a tree of blocks.' }),
    }),
    z.strictObject({
      markdown: DescriptionText.meta({
        description: 'The text in Markdown, up to 50,000 characters.',
      }),
    }),
  ])
  .nullable()
  .transform(sent => {
    if (sent === null || 'object' in sent) return sent
    return 'markdown' in sent ? sent.markdown : sent.document
  })
  .meta({
    description:
      'A document, or `{"markdown": "…"}`. `null` and an empty text remove the description.',
  })
