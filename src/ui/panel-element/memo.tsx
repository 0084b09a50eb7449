import { Component, type FunctionComponent } from 'preact';

/** The component, which is drawn again only if one of its properties is another value. */
export function memo<Props extends object>(Part: FunctionComponent<Props>) {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const keys = Object.keys(next) as (keyof Props)[]; // Those of an object literal: a part of JSX.
      return keys.some((key) => next[key] !== this.props[key]);
    }

    override render() {
      return <Part {...(this.props as Props)} />; // `this.props` has the children as well, which no part here has.
    }
  };
}
