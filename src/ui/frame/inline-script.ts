/**
 * The only inline script, the same on every page: it marks that scripts run, and applies the chosen
 * scheme and the closed announcement before the first paint. The content security policy has its
 * digest.
 */
export const inlineScript =
  "(d=>{d.classList.add('js');try{let s=localStorage,t=s.stemmaScheme;if(t&&d.dataset.switch)d.dataset.theme=t;if(s.stemmaClosed==d.dataset.news)d.classList.add('closed')}catch{}})(document.documentElement)"
