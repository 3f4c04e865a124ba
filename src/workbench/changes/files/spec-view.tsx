import { SourceView } from '../source/source-view.tsx'
import type { ShownDifference, ShownSpec } from './load.ts'

const kinds = [
  ['operation', 'Operations'],
  ['webhook', 'Webhooks'],
  ['schema', 'Schemas'],
  ['info', 'About the API'],
] as const

/** Returns the differences of an OpenAPI spec by operation. */
export function SpecView({ spec }: { spec: ShownSpec }) {
  if ('why' in spec) return <p class="muted">{spec.why}</p>
  if (spec.rows.length === 0)
    return <p class="muted">Readers are shown the same operations and schemas as before.</p>
  return (
    <div class="spec">
      {kinds.map(([kind, title]) => {
        const rows = spec.rows.filter(({ key }) => key === kind || key.startsWith(`${kind} `))
        return rows.length === 0 ? null : <Group kind={kind} title={title} rows={rows} />
      })}
      {spec.more && (
        <p class="muted">
          There are more differences: compare the rest in the source, or with “git diff”.
        </p>
      )}
    </div>
  )
}

type GroupProps = { kind: string; title: string; rows: readonly ShownDifference[] }

function Group({ kind, title, rows }: GroupProps) {
  const counts = (['new', 'changed', 'removed'] as const)
    .map(mark => [rows.filter(row => row.mark === mark).length, words[mark]] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
  return (
    <>
      <h3>
        {title} <span class="muted small">{counts.join(', ')}</span>
      </h3>
      <ul class="plain changes">
        {rows.map(row => (
          <Difference row={row} name={row.key.slice(kind.length + 1)} kind={kind} />
        ))}
      </ul>
    </>
  )
}

const signs = { new: '+', changed: '~', removed: '−' } as const
const words = { new: 'added', changed: 'changed', removed: 'removed' } as const

type DifferenceProps = { row: ShownDifference; name: string; kind: string }

function Difference({ row: { mark, source }, name, kind }: DifferenceProps) {
  const [method, ...rest] = name.split(' ')
  const isCall = kind === 'operation' || kind === 'webhook'
  const title = (
    <>
      {isCall ? (
        <code>
          <b>{method?.toUpperCase()}</b> <bdi>{rest.join(' ')}</bdi>
        </code>
      ) : kind === 'info' ? (
        'Title, description and servers'
      ) : (
        <code>
          <bdi>{name}</bdi>
        </code>
      )}{' '}
      <span class="muted">{words[mark]}</span>
    </>
  )
  return (
    <li class={mark}>
      <span class="sign" aria-hidden="true">
        {signs[mark]}
      </span>
      <div class="what">
        {source ? (
          <details>
            <summary>{title}</summary>
            <SourceView source={source} most={500} />
          </details>
        ) : (
          title
        )}
      </div>
    </li>
  )
}
