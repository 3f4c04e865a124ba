import { otherVariables, settingNames } from '../../config.ts'
import { editsBetween } from '../../content/search/near-words.ts'

/**
 * Returns a line about variables that look like settings but are not, such as a misspelled name,
 * with the setting that each resembles; undefined if there are none. It contains names, never
 * values.
 */
export function unknownSettings(env: NodeJS.ProcessEnv): string | undefined {
  const unknown = Object.keys(env).filter(
    name =>
      name.startsWith('STEMMA_') && !settingNames.includes(name) && !otherVariables.includes(name),
  )
  if (unknown.length === 0) return undefined
  const said = unknown.map(name => {
    const near = nearestSetting(name)
    return near === undefined ? name : `${name} (did you mean ${near}?)`
  })
  const are = unknown.length === 1 ? 'is not a setting and has' : 'are not settings and have'

  return `${said.join(', ')} ${are} no effect. docs/configuration.md lists the settings.`
}

/** Returns the setting that a name resembles most, or undefined if it resembles none. */
function nearestSetting(name: string): string | undefined {
  const wanted = wordsOf(name)
  const most = Math.max(2, Math.floor(wanted.length / 4))
  const near = settingNames
    .map(setting => ({ setting, edits: editsOf(wanted, wordsOf(setting), most) }))
    .filter(({ edits }) => edits <= most)

  return near.sort((a, b) => a.edits - b.edits)[0]?.setting
}

const wordsOf = (name: string): string => name.replace(/^STEMMA_/, '').replaceAll('_', '')

/** Returns the edits between two names; a name that begins like another one is one edit away. */
const editsOf = (a: string, b: string, most: number): number =>
  a.startsWith(b) || b.startsWith(a) ? Number(a !== b) : editsBetween(a, b, most)
