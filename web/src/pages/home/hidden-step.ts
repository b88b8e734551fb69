const hidden = 'next-step-hidden'

/** True if the administrator has hidden the next step of the first hour in this browser. */
export const isStepHidden = () => localStorage.getItem(hidden) !== null

export const hideStep = () => localStorage.setItem(hidden, 'yes')
