/** Returns a logo in one or two schemes. Its links have a name of their own. */
export function Logo({ logo, title }: { logo: { light: string; dark: string }; title: string }) {
  if (logo.light === logo.dark) return <img src={logo.light} alt={title} height={28} />
  return (
    <>
      <img class="light-only" src={logo.light} alt={title} height={28} />
      <img class="dark-only" src={logo.dark} alt={title} height={28} />
    </>
  )
}
