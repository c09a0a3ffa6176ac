// status: runtime_error
public class Main {
    public static void main(String[] words) throws Exception {
        System.out.println(7);
        new ProcessBuilder("sleep", "9").start();
    }
}
