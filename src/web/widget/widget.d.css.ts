declare const styles: string;
export default styles;
