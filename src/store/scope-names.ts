import type { WriteScope } from './write-scope.ts'

/** The name of a write that may concern any read. */
const any = '*'

/** Returns the scope of a write as a text that other processes read. */
export function nameOfScope(scope: Exclude<WriteScope, 'derived'>): string {
  if (scope === undefined) return any
  return 'spaceId' in scope ? `space:${scope.spaceId}` : `organization:${scope.organizationId}`
}

/** Returns the scope with a name. A name of a newer version means any. */
export function scopeNamed(name: string): WriteScope {
  const [, kind, id = ''] = /^(space|organization):(.+)$/s.exec(name) ?? []
  if (kind === undefined) return undefined
  return kind === 'space' ? { spaceId: id } : { organizationId: id }
}
