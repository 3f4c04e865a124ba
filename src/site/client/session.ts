/** Who is signed in, and the token that their calls send. */
export type Session = { name: string; csrf: string }

type Told = {
  server: string
  signIn: string
  user: Session | null
  /** The links of the header for who is signed in; none for others. */
  links: { title: string; href: string }[]
}

/**
 * Asks the server of the page who is signed in. Undefined on a page of a site, which has no session of
 * the server, and when the server does not answer. Pages are kept and are the same for everybody.
 */
export async function askSession(): Promise<Told | undefined> {
  const address = document.documentElement.dataset.session
  if (address === undefined) return undefined
  try {
    const answer = await fetch(address, { cache: 'no-store' })
    return answer.ok ? ((await answer.json()) as Told) : undefined
  } catch {
    return undefined
  }
}

/** Returns the address of the sign-in that leads back to the page. */
export const signInHere = ({ signIn }: Told): string =>
  `${signIn}?${new URLSearchParams({ return_to: location.pathname })}`

/** Shows who is signed in, in place of the link to the sign-in. */
export async function startSession(): Promise<void> {
  const told = await askSession()
  const link =
    told &&
    [...document.querySelectorAll<HTMLAnchorElement>('header.top .links > a')].find(
      ({ pathname }) => pathname === told.signIn,
    )
  if (!link) return
  link.href = signInHere(told)
  if (!told.user) return

  const shown = told.links.map(({ title, href }) => {
    const made = link.cloneNode() as HTMLAnchorElement
    made.href = href
    made.textContent = title
    return made
  })
  link.replaceWith(...shown)
}
