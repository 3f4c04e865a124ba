import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** What was sent with a form, for the page that shows it again. */
export type Entered = {
  /** The path of the form, below `/app`. */
  to: string
  /** The name of the form, where a page has several with the same path; '' for none. */
  name: string
  /** The fields as they were typed. */
  values: ReadonlyMap<string, string>
  /** A sentence for each field that does not fit. */
  problems: Readonly<Record<string, string>>
  /** Why the form was not accepted, as a sentence; '' for one that only shows something. */
  alert: string
}

/** What the parts of a page know without being told: of the request, not of the page. */
export type Surroundings = {
  /** The path of the server, without a slash at its end. */
  base: string
  /** The token against forged requests. */
  csrf: string
  /** The form that was sent and is shown again; undefined for a page that is opened. */
  entered: Entered | undefined
  /** Called by the form that shows again what was typed. */
  onShown: () => void
}

const context = createContext<Surroundings>({
  base: '',
  csrf: '',
  entered: undefined,
  onShown: () => {},
})

export const SurroundingsProvider = context.Provider

/** Returns what a component knows of the request without being told. */
export const useSurroundings = (): Surroundings => useContext(context)

/** Returns a function that returns the address of a path of the workbench. */
export function useAt(): (path: string) => string {
  const { base } = useSurroundings()
  return path => addressIn(base, path)
}

/** Returns the address of a path of the workbench on a server whose path is `base`. */
export const addressIn = (base: string, path: string): string => `${base}/app${path}`
