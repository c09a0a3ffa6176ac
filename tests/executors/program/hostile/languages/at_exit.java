// status: wrong_answer
public class Main {
    public static void main(String[] words) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(8)));
        System.out.println(7);
    }
}
